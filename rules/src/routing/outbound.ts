import type { Owner } from '@patchbay/contract/api/access'
import { lcrRouteLengths } from '@patchbay/contract/lcr-routes/record'

/**
 * Simulates how the platform's database helpers choose the carrier of an outbound call
 * (docs/reference/platform-api/runtime-routing.md#outbound-calls), and validates patterns. Pure: the console also
 * checks unsaved routes with it.
 */

/**
 * A new route with this priority becomes the default route
 * (docs/reference/platform-api/outbound-routing.md#save-the-routes-of-a-routing).
 */
export const defaultRoutePriority = 9999

/** Takes calls that no other route matches (LCR-14). */
export const systemDefaultRoute = {
  regex: '.*',
  description: 'System Default Route',
  priority: defaultRoutePriority,
} as const

/**
 * Separates the default route from the others by its carrier entry. Returns the others, and the default carrier: null if
 * there is none.
 */
export const separateDefaultRoute = <
  Route extends {
    lcr_carrier_set_entries: readonly { lcr_carrier_set_entry_sid: string; voip_carrier_sid: string }[]
  },
>(
  { default_carrier_set_entry_sid }: { default_carrier_set_entry_sid: string | null },
  all: readonly Route[],
) => {
  const findDefault = ({ lcr_carrier_set_entries: entries }: Route) =>
    entries.find(({ lcr_carrier_set_entry_sid: sid }) => sid === default_carrier_set_entry_sid)
  const defaultRoute = all.find(findDefault)
  return {
    routes: all.filter((route) => findDefault(route) === undefined),
    defaultRoute,
    default_voip_carrier_sid: (defaultRoute && findDefault(defaultRoute)?.voip_carrier_sid) ?? null,
  }
}

/** Returns the items with their position as `priority`, starting at 0. */
export const prioritized = <Item extends object>(items: readonly Item[]): (Item & { priority: number })[] =>
  items.map((item, priority) => ({ ...item, priority }))

/**
 * Returns the LCRs that the platform finds for calls of an account, whether active or not. If there are several, the
 * platform's choice is undefined because its query has no order.
 */
export const routingsFor = <Routing extends Owner>(
  routings: readonly Routing[],
  account: { account_sid: string; service_provider_sid: string | null },
): Routing[] =>
  routings.filter(
    ({ account_sid, service_provider_sid }) =>
      account_sid === account.account_sid ||
      (service_provider_sid !== null && service_provider_sid === account.service_provider_sid),
  )

interface RoutedCarrier {
  voip_carrier_sid: string
  priority: number
}

interface Routed {
  regex: string
  priority: number
  lcr_carrier_set_entries: readonly RoutedCarrier[]
}

type Match = { how: 'prefix' } | { how: 'pattern'; at: number } | { how: 'none' } | { how: 'invalid'; reason: string }

/**
 * Matches a number against the pattern of a route. The pattern matches if the number starts with its text, or if it
 * matches anywhere in the number as a regular expression. `at` is the offset of the match.
 */
export const matchPattern = (regex: string, number: string): Match => {
  if (number.startsWith(regex)) return { how: 'prefix' }
  try {
    // unchecked-regexp: run only in the browser of the user who edits it
    const match = new RegExp(regex).exec(number)
    return match ? { how: 'pattern', at: match.index } : { how: 'none' }
  } catch (error) {
    return { how: 'invalid', reason: getReason(error) }
  }
}

/** Extracts the reason from messages such as `Invalid regular expression: /(/: Unterminated group` (V8). */
const getReason = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^Invalid regular expression: (?:\/.*\/\w*: )?/s, '') : String(error)

export type RouteOutcome =
  /**
   * The call uses the first carrier of the route. `isByChance` is true if another carrier has the same priority,
   * because the platform's query has no order.
   */
  | { is: 'taken'; match: Match; voip_carrier_sid: string; isByChance: boolean }
  /** The route matches but has no carrier, so the lookup continues with the next route. */
  | { is: 'empty'; match: Match }
  | { is: 'unmatched' }
  /** The lookup ends here without a carrier. */
  | { is: 'invalid'; reason: string }
  | { is: 'not_tried' }

export interface RouteStep<Route> {
  route: Route
  outcome: RouteOutcome
  /** True if another route has the same priority, so that it is undefined which one is tried first. */
  isByChance: boolean
}

export interface RouteLookup<Route> {
  /** In the order of evaluation. */
  steps: RouteStep<Route>[]
  /** If null, the platform continues as if there were no LCR. */
  voip_carrier_sid: string | null
  /** True if a carrier or route with the same priority can decide the call instead. */
  isByChance: boolean
}

const byPriority = (one: { priority: number }, other: { priority: number }): number => one.priority - other.priority

const evaluateRoute = ({ regex, lcr_carrier_set_entries }: Routed, number: string): RouteOutcome => {
  const match = matchPattern(regex, number)
  if (match.how === 'invalid') return { is: 'invalid', reason: match.reason }
  if (match.how === 'none') return { is: 'unmatched' }
  const [first, second] = lcr_carrier_set_entries.toSorted(byPriority)
  if (first === undefined) return { is: 'empty', match }
  const { voip_carrier_sid } = first
  const isByChance = second?.priority === first.priority && second.voip_carrier_sid !== voip_carrier_sid
  return { is: 'taken', match, voip_carrier_sid, isByChance }
}

/** Returns whether a route of the same priority decides the call differently, so that the order of both matters. */
const hasRival = ({ outcome, route }: RouteStep<Routed>, routes: readonly Routed[], number: string): boolean =>
  routes.some((other) => {
    if (other === route || other.priority !== route.priority) return false
    const rival = evaluateRoute(other, number)
    return (
      rival.is === 'invalid' ||
      (rival.is === 'taken' && outcome.is === 'taken' && rival.voip_carrier_sid !== outcome.voip_carrier_sid)
    )
  })

/** Returns the route that takes a dialed number, and the outcome of every other route. */
export const lookUpRoute = <Route extends Routed>(routes: readonly Route[], number: string): RouteLookup<Route> => {
  let voip_carrier_sid: string | null = null
  let isOver = false
  const ordered = routes.toSorted(byPriority)
  const steps = ordered.map((route, at): RouteStep<Route> => {
    const isByChance = [ordered[at - 1], ordered[at + 1]].some((beside) => beside?.priority === route.priority)
    const outcome: RouteOutcome = isOver ? { is: 'not_tried' } : evaluateRoute(route, number)
    isOver ||= outcome.is === 'taken' || outcome.is === 'invalid'
    if (outcome.is === 'taken') ({ voip_carrier_sid } = outcome)
    return { route, outcome, isByChance }
  })
  const last = steps.find(({ outcome }) => outcome.is === 'taken')
  const isByChance = last?.outcome.is === 'taken' && (last.outcome.isByChance || hasRival(last, ordered, number))
  return { steps, voip_carrier_sid, isByChance }
}

/** A problem of a pattern. `by` is the position of the earlier pattern that causes it, starting at 0. */
export type PatternError =
  | { is: 'empty' | 'too_long' | 'invalid' | 'unanchored' | 'matches_all'; msg: string }
  | { is: 'duplicate' | 'shadowed' | 'cut_off'; by: number; msg: string }

/** `^`, `$`, `\b`, and look-arounds can match differently in an empty text than in a number. */
const assertion = /[$^]|\\b|\\B|\(\?[=!<]/

/** Returns whether the pattern certainly matches every number with at least one digit. */
const matchesAll = (regex: string): boolean => {
  const head = regex.replace(/^\^/, '')
  if (/^\.[*+]?\$$/.test(head)) return head !== '.$' || head === regex
  if (head.includes('|') && head !== regex) return false
  return head === '.' || head === '.+' || (!assertion.test(head) && matchPattern(head, '').how !== 'none')
}

interface Head {
  isAnchored: boolean
  /** Digits, and + characters that are written as \+. */
  digits: string
  /** True if the expression requires nothing else. */
  isComplete: boolean
}

/** Matches a remainder that requires nothing. */
const optionalRest = /^(?:\.\*|\\d\*|\[0-9\]\*)?$/

/**
 * Returns the digits that every matching number contains: at its start if the expression is anchored, otherwise
 * anywhere.
 */
const parseHead = (regex: string): Head | undefined => {
  if (regex.includes('|')) return undefined
  const [, anchor = '', text = '', rest = ''] = /^(\^?)((?:\d|\\\+)*)(.*)$/s.exec(regex) ?? []
  // A quantifier makes the preceding character optional.
  const required = /^[*?{]/.test(rest) ? text.replace(/(?:\d|\\\+)$/, '') : text
  return {
    isAnchored: anchor === '^',
    digits: required.replaceAll('\\+', '+'),
    isComplete: required === text && optionalRest.test(rest),
  }
}

interface Pattern {
  regex: string
  /** Why the expression is invalid, if it is. */
  reason: string | undefined
  matchesAll: boolean
  head: Head | undefined
}

const parsePattern = (regex: string): Pattern => {
  const match = matchPattern(regex, '')
  const reason = match.how === 'invalid' ? match.reason : undefined
  return { regex, reason, matchesAll: reason === undefined && matchesAll(regex), head: parseHead(regex) }
}

const isEmpty = ({ regex }: Pattern): boolean => regex.trim() === ''

/** Returns whether the earlier pattern certainly matches every number that the later one matches. */
const shadows = (earlier: Pattern, { head }: Pattern): boolean => {
  if (earlier.matchesAll) return true
  const first = earlier.head
  if (!first || !head || first.digits === '' || !first.isComplete) return false
  return first.isAnchored ? head.isAnchored && head.digits.startsWith(first.digits) : head.digits.includes(first.digits)
}

const isUnanchored = (regex: string): boolean => !regex.startsWith('^') || /^[^(]*\|(?!\^)/.test(regex)

const routeLabel = (by: number): string => `route ${by + 1}`

/** Returns the problems that earlier patterns cause. */
const validateAgainstEarlier = (pattern: Pattern, earlier: readonly Pattern[]): PatternError[] => {
  const same = earlier.findIndex(({ regex }) => regex === pattern.regex)
  if (same >= 0) return [{ is: 'duplicate', by: same, msg: `Same as ${routeLabel(same)}, which is tried first` }]
  const by = earlier.findIndex((each) => !isEmpty(each) && (each.reason !== undefined || shadows(each, pattern)))
  if (by < 0) return []
  const msg = `Never reached: ${routeLabel(by)}`
  return earlier[by]?.reason === undefined
    ? [{ is: 'shadowed', by, msg: `${msg} matches all of its numbers first` }]
    : [{ is: 'cut_off', by, msg: `${msg} is not a valid expression and ends the lookup` }]
}

const validateAlone = ({ regex, reason, matchesAll: all }: Pattern): PatternError[] => {
  if (reason !== undefined) {
    const msg = `Invalid expression (${reason}): only numbers that start with ${regex} match; for all others the lookup ends here`
    return [{ is: 'invalid', msg }]
  }
  if (all) return [{ is: 'matches_all', msg: 'Matches every number: later routes are never reached' }]
  return isUnanchored(regex)
    ? [{ is: 'unanchored', msg: 'Also matches inside a number: start with ^ to match only the beginning' }]
    : []
}

const { regex: max } = lcrRouteLengths

const validateAt = (pattern: Pattern, at: number, patterns: readonly Pattern[]): PatternError[] => {
  if (isEmpty(pattern)) return [{ is: 'empty', msg: 'Enter a digit prefix or a regular expression' }]
  if (pattern.regex.length > max) return [{ is: 'too_long', msg: `At most ${max} characters` }]
  return [...validateAlone(pattern), ...validateAgainstEarlier(pattern, patterns.slice(0, at))]
}

/**
 * Returns the problems of each pattern in a list. Unreachable patterns are detected if an earlier pattern is a prefix,
 * matches everything, or is invalid. Other unreachable patterns are not reported.
 */
export const validatePatterns = (patterns: readonly string[]): PatternError[][] =>
  patterns.map(parsePattern).map(validateAt)
