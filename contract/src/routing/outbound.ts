import { lcrRouteLengths } from '../shared/column-lengths.ts'

/**
 * How the platform chooses the carrier of a call that goes out, as its published database helpers do it
 * (api/5-runtime-routing.md), and what can be said of a pattern before a call finds out. Pure: the console asks it of
 * routes that are not saved yet.
 */

/** With this priority a route that is made becomes the default one (api/2-telephony.md §9.6). */
export const defaultRoutePriority = 9999

/** Takes what no other route matches (spec 1 §9). */
export const systemDefaultRoute = {
  regex: '.*',
  description: 'System Default Route',
  priority: defaultRoutePriority,
} as const

/** So many routes an outbound routing has at most, the default one apart. */
export const maxRoutes = 1000

/** Each at the place where it stands, from 0. */
export const prioritized = <Item extends object>(items: readonly Item[]): (Item & { priority: number })[] =>
  items.map((item, priority) => ({ ...item, priority }))

interface RoutingOwner {
  account_sid: string | null
  service_provider_sid: string | null
}

/**
 * The outbound routings that the platform finds for calls of an account, active or not. Of several it takes any: no
 * order is asked for.
 */
export const routingsFor = <Routing extends RoutingOwner>(
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

/** The number begins with the text itself, or the text as an expression matches anywhere in it, from 0. */
export const matchPattern = (regex: string, number: string): Match => {
  if (number.startsWith(regex)) return { how: 'prefix' }
  try {
    // unchecked-regexp: run only in the browser of the user who edits it
    const found = new RegExp(regex).exec(number)
    return found ? { how: 'pattern', at: found.index } : { how: 'none' }
  } catch (error) {
    return { how: 'invalid', reason: reasonOf(error) }
  }
}

/** `Invalid regular expression: /(/: Unterminated group` of V8, and what other engines say. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/^Invalid regular expression: (?:\/.*\/\w*: )?/s, '') : String(error)

export type RouteOutcome =
  /** the call goes to its first carrier; `isByChance`: another has the same priority, and no order is asked for */
  | { is: 'taken'; match: Match; voip_carrier_sid: string; isByChance: boolean }
  /** it matches and has no carrier: the next is tried */
  | { is: 'empty'; match: Match }
  | { is: 'unmatched' }
  /** the look-up ends here, without a carrier */
  | { is: 'invalid'; reason: string }
  | { is: 'not_tried' }

export interface RouteStep<Route> {
  route: Route
  outcome: RouteOutcome
  /** another route has the same priority: which of them is tried first is nowhere said */
  isByChance: boolean
}

export interface RouteLookup<Route> {
  /** in the order in which they are tried */
  steps: RouteStep<Route>[]
  /** null: the platform goes on as if there were no outbound routing */
  voip_carrier_sid: string | null
}

const byPriority = (one: { priority: number }, other: { priority: number }): number => one.priority - other.priority

const outcomeOf = ({ regex, lcr_carrier_set_entries }: Routed, number: string): RouteOutcome => {
  const match = matchPattern(regex, number)
  if (match.how === 'invalid') return { is: 'invalid', reason: match.reason }
  if (match.how === 'none') return { is: 'unmatched' }
  const [first, second] = lcr_carrier_set_entries.toSorted(byPriority)
  if (first === undefined) return { is: 'empty', match }
  const { voip_carrier_sid } = first
  const isByChance = second?.priority === first.priority && second.voip_carrier_sid !== voip_carrier_sid
  return { is: 'taken', match, voip_carrier_sid, isByChance }
}

/** Which route takes the number, as it is dialled, and what becomes of the others. */
export const lookUpRoute = <Route extends Routed>(routes: readonly Route[], number: string): RouteLookup<Route> => {
  let voip_carrier_sid: string | null = null
  let isOver = false
  const ordered = routes.toSorted(byPriority)
  const steps = ordered.map((route, at): RouteStep<Route> => {
    const isByChance = [ordered[at - 1], ordered[at + 1]].some((beside) => beside?.priority === route.priority)
    const outcome: RouteOutcome = isOver ? { is: 'not_tried' } : outcomeOf(route, number)
    isOver ||= outcome.is === 'taken' || outcome.is === 'invalid'
    if (outcome.is === 'taken') ({ voip_carrier_sid } = outcome)
    return { route, outcome, isByChance }
  })
  return { steps, voip_carrier_sid }
}

/** What the operator is told of a pattern. `by`: the place, from 0, of the earlier one that it is about. */
export type PatternError =
  | { is: 'empty' | 'too_long' | 'invalid' | 'unanchored' | 'matches_all'; msg: string }
  | { is: 'duplicate' | 'shadowed' | 'cut_off'; by: number; msg: string }

/** What `^`, `$`, `\b` and look-arounds say of a place can be false for the empty text and true for a number, and vice versa. */
const assertion = /[$^]|\\b|\\B|\(\?[=!<]/

/** Whether it certainly matches each number that has a digit. */
const matchesAll = (regex: string): boolean => {
  const head = regex.replace(/^\^/, '')
  if (/^\.[*+]?\$$/.test(head)) return head !== '.$' || head === regex
  if (head.includes('|') && head !== regex) return false
  return head === '.' || head === '.+' || (!assertion.test(head) && matchPattern(head, '').how !== 'none')
}

interface Head {
  isAnchored: boolean
  /** digits, and a + that is written \+ */
  digits: string
  /** it is all that the expression asks for */
  isWhole: boolean
}

/** Asks for nothing. */
const anyRest = /^(?:\.\*|\\d\*|\[0-9\]\*)?$/

/** What each number that the expression matches holds: at its beginning where it is anchored, else anywhere. */
const headOf = (regex: string): Head | undefined => {
  if (regex.includes('|')) return undefined
  const [, anchor = '', text = '', rest = ''] = /^(\^?)((?:\d|\\\+)*)(.*)$/s.exec(regex) ?? []
  // What is repeated at will need not be there.
  const sure = /^[*?{]/.test(rest) ? text.replace(/(?:\d|\\\+)$/, '') : text
  return {
    isAnchored: anchor === '^',
    digits: sure.replaceAll('\\+', '+'),
    isWhole: sure === text && anyRest.test(rest),
  }
}

interface Pattern {
  regex: string
  /** why it is no valid expression */
  reason: string | undefined
  matchesAll: boolean
  head: Head | undefined
}

const patternOf = (regex: string): Pattern => {
  const match = matchPattern(regex, '')
  const reason = match.how === 'invalid' ? match.reason : undefined
  return { regex, reason, matchesAll: reason === undefined && matchesAll(regex), head: headOf(regex) }
}

const isEmpty = ({ regex }: Pattern): boolean => regex.trim() === ''

/** Whether the earlier one certainly matches each number that the later one does. */
const shadows = (earlier: Pattern, { head }: Pattern): boolean => {
  if (earlier.matchesAll) return true
  const first = earlier.head
  if (!first || !head || first.digits === '' || !first.isWhole) return false
  return first.isAnchored ? head.isAnchored && head.digits.startsWith(first.digits) : head.digits.includes(first.digits)
}

const isUnanchored = (regex: string): boolean => !regex.startsWith('^') || /^[^(]*\|(?!\^)/.test(regex)

const placeText = (by: number): string => `route ${by + 1}`

/** What earlier patterns do to it. */
const ofEarlier = (pattern: Pattern, earlier: readonly Pattern[]): PatternError[] => {
  const same = earlier.findIndex(({ regex }) => regex === pattern.regex)
  if (same >= 0) return [{ is: 'duplicate', by: same, msg: `The same as ${placeText(same)}, which comes first` }]
  const by = earlier.findIndex((each) => !isEmpty(each) && (each.reason !== undefined || shadows(each, pattern)))
  if (by < 0) return []
  const msg = `Never reached: ${placeText(by)}`
  return earlier[by]?.reason === undefined
    ? [{ is: 'shadowed', by, msg: `${msg} matches all of its numbers first` }]
    : [{ is: 'cut_off', by, msg: `${msg} is no valid expression, and ends the look-up` }]
}

const ofItself = ({ regex, reason, matchesAll: all }: Pattern): PatternError[] => {
  if (reason !== undefined) {
    const msg = `No valid expression (${reason}): only numbers that begin with ${regex} match, for all others the look-up ends here`
    return [{ is: 'invalid', msg }]
  }
  if (all) return [{ is: 'matches_all', msg: 'Matches every number: later routes are never reached' }]
  return isUnanchored(regex)
    ? [{ is: 'unanchored', msg: 'Also matches inside a number: begin with ^ to match beginnings alone' }]
    : []
}

const { regex: max } = lcrRouteLengths

const faultsAt = (pattern: Pattern, at: number, patterns: readonly Pattern[]): PatternError[] => {
  if (isEmpty(pattern)) return [{ is: 'empty', msg: 'Enter a digit prefix or a regular expression' }]
  if (pattern.regex.length > max) return [{ is: 'too_long', msg: `At most ${max} characters` }]
  return [...ofItself(pattern), ...ofEarlier(pattern, patterns.slice(0, at))]
}

/**
 * What is wrong with each pattern of a list, as it is typed. That one is never reached is told of prefixes, and of what
 * stands behind a pattern that matches everything or is invalid: where it is told it is so, and it may be so elsewhere.
 */
export const validatePatterns = (patterns: readonly string[]): PatternError[][] => patterns.map(patternOf).map(faultsAt)
