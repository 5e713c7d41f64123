import { addToGroup } from '../lib/groups.ts'
import { normalize, rejectRepeats } from './import-repeats.ts'
import type { Column, NumberRow, RowPlan } from './import-rows.ts'
import type { ValidateLength } from './number-lengths.ts'
import { readTypedNumber, toUncheckedNumber } from './read-number.ts'

/**
 * Plans the import of a file of phone numbers from the existing accounts, carriers, applications, and numbers. Pure:
 * the server uses it, and so does the console if the server has only the platform's own API.
 */

export interface KnownNumber {
  phone_number_sid: string
  number: string
  voip_carrier_sid: string | null
  account_sid: string | null
  application_sid: string | null
  /** True if the caller is allowed to change the number. */
  isOwn: boolean
}

interface Owned {
  sid: string
  name: string
  /** Null if all accounts of the service provider can use the record. */
  account_sid: string | null
}

/** Records that the caller is allowed to reference in the rows. */
export interface ImportContext {
  accounts: readonly { sid: string; name: string }[]
  carriers: readonly Owned[]
  applications: readonly Owned[]
  numbers: readonly KnownNumber[]
  /** Set for users of an account, who can add numbers only to their own account. */
  ownAccount: string | null
  /** Checks the lengths of international numbers. */
  validateLength?: ValidateLength
}

/** Thrown while a row is planned, and caught to report the row as wrong. */
class RowError extends Error {
  readonly column: Column
  constructor(column: Column, why: string) {
    super(why)
    this.column = column
  }
}

const throwRowError = (column: Column, why: string): never => {
  throw new RowError(column, why)
}

const groupBy = <Item>(items: readonly Item[], getKeys: (item: Item) => readonly string[]): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items) for (const key of new Set(getKeys(item).map(normalize))) addToGroup(groups, key, item)
  return groups
}

const indexBySidAndName = <Item extends { sid: string; name: string }>(items: readonly Item[]) =>
  groupBy(items, ({ sid, name }) => [sid, name])

const nouns = { carrier: 'carrier', account: 'account', application: 'application' } as const

/** Returns the single record with this SID or name that satisfies `fits`. */
const findNamed = <Item extends { sid: string }>(
  index: ReadonlyMap<string, readonly Item[]>,
  column: keyof typeof nouns,
  text: string,
  fits: (item: Item) => boolean = () => true,
): Item => {
  const all = index.get(normalize(text)) ?? []
  const [first, ...more] = all.filter(fits)
  const noun = nouns[column]
  if (first === undefined)
    return throwRowError(column, all.length > 0 ? `The account can’t use this ${noun}` : `There is no such ${noun}`)
  if (more.length > 0) return throwRowError(column, `${more.length + 1} ${noun}s have this name: give the SID`)
  return first
}

const serves = (carrier: Owned, account_sid: string): boolean =>
  carrier.account_sid === null || carrier.account_sid === account_sid

const createPlanner = (context: ImportContext) => {
  const accounts = indexBySidAndName(context.accounts)
  const carriers = indexBySidAndName(context.carriers)
  const applications = indexBySidAndName(context.applications)
  const numbers = groupBy(context.numbers, ({ number }) => [number])

  /**
   * Returns the stored form of the number. A text that is stored already keeps its form, so that an export with numbers
   * of other programs can be imported.
   */
  const readNumber = (typed: string): { number: string; is_pattern: boolean; why?: string } => {
    const reading = readTypedNumber(typed, context.validateLength)
    if (reading.is !== 'wrong') {
      const { stored: number } = reading
      const unchecked = toUncheckedNumber(typed)
      if (numbers.has(normalize(number)) || !numbers.has(normalize(unchecked)))
        return { number, is_pattern: reading.is === 'pattern' }
      return { number: unchecked, is_pattern: false }
    }
    const unchecked = toUncheckedNumber(typed)
    if (reading.isLost || !numbers.has(normalize(unchecked))) return throwRowError('number', reading.why)
    return { number: unchecked, is_pattern: false, why: reading.why }
  }

  const findExisting = (number: string, carrier: Owned | undefined): KnownNumber | undefined => {
    const same = numbers.get(normalize(number)) ?? []
    if (carrier) {
      const there = same.find(({ voip_carrier_sid }) => voip_carrier_sid === carrier.sid)
      return there && !there.isOwn ? throwRowError('number', 'The number already exists on this carrier') : there
    }
    const [own, ...more] = same.filter(({ isOwn }) => isOwn)
    if (more.length > 0) return throwRowError('carrier', 'The number exists on several carriers: name one')
    return own ?? throwRowError('carrier', 'A new number needs a carrier')
  }

  const resolveApplication = (text: string | undefined, account_sid: string, now: KnownNumber | undefined) => {
    if (text === '') return null
    if (text !== undefined)
      return findNamed(applications, 'application', text, (one) => one.account_sid === account_sid).sid
    const currentSid = now?.application_sid ?? null
    if (currentSid !== null && now?.account_sid !== account_sid)
      return throwRowError('application', 'The application belongs to the previous account: name another or none')
    return currentSid
  }

  return (row: NumberRow): RowPlan => {
    const { number, is_pattern, why } = readNumber(row.number)
    const stated = row.account ? findNamed(accounts, 'account', row.account).sid : (context.ownAccount ?? undefined)
    const carrier = row.carrier
      ? findNamed(carriers, 'carrier', row.carrier, (one) => stated === undefined || serves(one, stated))
      : undefined
    const now = findExisting(number, carrier)
    if (now === undefined && why !== undefined) return throwRowError('number', why)
    const account_sid = stated ?? now?.account_sid ?? throwRowError('account', 'A new number needs an account')
    const voip_carrier_sid = carrier?.sid ?? now?.voip_carrier_sid ?? null
    const used = carrier ?? carriers.get(normalize(voip_carrier_sid ?? ''))?.[0]
    if (used && !serves(used, account_sid))
      return throwRowError('account', 'The account can’t use the carrier of this number')
    const application_sid = resolveApplication(row.application, account_sid, now)
    const routed = { number, voip_carrier_sid, account_sid, application_sid }
    if (now === undefined) return { is: 'new', is_pattern, ...routed }
    const stays = now.account_sid === account_sid && now.application_sid === application_sid
    return {
      is: stays ? 'unchanged' : 'changed',
      phone_number_sid: now.phone_number_sid,
      ...routed,
      number: now.number,
    }
  }
}

/** Returns the texts by which an existing number of a row is found. */
export const numbersToFind = (rows: readonly NumberRow[]): string[] => [
  ...new Set(
    rows.flatMap(({ number }) => {
      const reading = readTypedNumber(number)
      return reading.is === 'wrong' ? [toUncheckedNumber(number)] : [reading.stored, toUncheckedNumber(number)]
    }),
  ),
]

/** Rejects new patterns that are not confirmed. */
export const rejectUnconfirmed = (rows: readonly NumberRow[], plans: readonly RowPlan[]): RowPlan[] =>
  plans.map((plan, position) =>
    plan.is === 'new' && plan.is_pattern && rows[position]?.is_pattern !== true
      ? { is: 'wrong', column: 'number', why: 'This is a pattern. Confirm it with is_pattern' }
      : plan,
  )

/** Returns the plan of each row, in the same order. */
export const planImport = (rows: readonly NumberRow[], context: ImportContext): RowPlan[] => {
  const plan = createPlanner(context)
  const plans = rows.map((row): RowPlan => {
    try {
      return plan(row)
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      return { is: 'wrong', column: error.column, why: error.message }
    }
  })
  return rejectRepeats(rows, plans)
}
