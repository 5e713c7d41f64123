import { phoneNumberLengths } from '../shared/column-lengths.ts'
import { validateNumber, numberStored } from './patterns.ts'

/**
 * What becomes of the rows of a file of phone numbers, decided on what is known of accounts, carriers, applications and
 * numbers. Pure: our server asks it, and the console where a server knows only the wire.
 */

/** A row as it stands in the file. What is undefined the file does not say; things are named by SID or by name. */
export interface NumberRow {
  number: string
  carrier?: string | undefined
  account?: string | undefined
  /** empty for none */
  application?: string | undefined
  /** where it stands in the file, for what is said of it; without it its place among the rows, from 1 */
  line?: number | undefined
}

export interface KnownNumber {
  phone_number_sid: string
  number: string
  voip_carrier_sid: string | null
  account_sid: string | null
  application_sid: string | null
  /** the caller may change it */
  isOwn: boolean
}

interface Owned {
  sid: string
  name: string
  /** null: of all accounts of the provider */
  account_sid: string | null
}

/** All that the rows speak of and the caller may name. */
export interface KnownThings {
  accounts: readonly { sid: string; name: string }[]
  carriers: readonly Owned[]
  applications: readonly Owned[]
  numbers: readonly KnownNumber[]
  /** the account whose users add numbers to no other */
  ownAccount: string | null
}

type Column = Exclude<keyof NumberRow, 'line'>

interface Routed {
  number: string
  voip_carrier_sid: string | null
  account_sid: string
  application_sid: string | null
}

export type RowPlan =
  | ({ is: 'new' } & Routed)
  | ({ is: 'changed' | 'unchanged'; phone_number_sid: string } & Routed)
  | { is: 'wrong'; column: Column; why: string }

/** Thrown inside a plan, and answered by it. */
class Wrong extends Error {
  readonly column: Column
  constructor(column: Column, why: string) {
    super(why)
    this.column = column
  }
}

const wrong = (column: Column, why: string): never => {
  throw new Wrong(column, why)
}

/** Texts are compared as the database compares them. */
const folded = (text: string): string => text.trim().toLowerCase()

const grouped = <Item>(items: readonly Item[], keysOf: (item: Item) => readonly string[]): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>()
  for (const item of items)
    for (const key of new Set(keysOf(item).map(folded))) {
      const group = groups.get(key)
      if (group) group.push(item)
      else groups.set(key, [item])
    }
  return groups
}

const byNames = <Item extends { sid: string; name: string }>(items: readonly Item[]) =>
  grouped(items, ({ sid, name }) => [sid, name])

const nouns = { carrier: 'carrier', account: 'account', application: 'application' } as const

/** The one thing that a text names, of those that `fits`. */
const named = <Item extends { sid: string }>(
  index: ReadonlyMap<string, readonly Item[]>,
  column: keyof typeof nouns,
  text: string,
  fits: (item: Item) => boolean = () => true,
): Item => {
  const all = index.get(folded(text)) ?? []
  const [first, ...more] = all.filter(fits)
  const noun = nouns[column]
  if (first === undefined)
    return wrong(column, all.length > 0 ? `The account may not use this ${noun}` : `There is no such ${noun}`)
  if (more.length > 0) return wrong(column, `${more.length + 1} ${noun}s have this name: give the SID`)
  return first
}

const serves = (carrier: Owned, account_sid: string): boolean =>
  carrier.account_sid === null || carrier.account_sid === account_sid

const createPlanner = (known: KnownThings) => {
  const accounts = byNames(known.accounts)
  const carriers = byNames(known.carriers)
  const applications = byNames(known.applications)
  const numbers = grouped(known.numbers, ({ number }) => [number])

  const existing = (number: string, carrier: Owned | undefined): KnownNumber | undefined => {
    const same = numbers.get(folded(number)) ?? []
    if (carrier) {
      const there = same.find(({ voip_carrier_sid }) => voip_carrier_sid === carrier.sid)
      return there && !there.isOwn ? wrong('number', 'The number is taken on this carrier') : there
    }
    const [own, ...more] = same.filter(({ isOwn }) => isOwn)
    if (more.length > 0) return wrong('carrier', 'The number stands on several carriers: name one')
    return own ?? wrong('carrier', 'A new number needs a carrier')
  }

  const applicationOf = (text: string | undefined, account_sid: string, now: KnownNumber | undefined) => {
    if (text === '') return null
    if (text !== undefined)
      return named(applications, 'application', text, (one) => one.account_sid === account_sid).sid
    const kept = now?.application_sid ?? null
    if (kept !== null && now?.account_sid !== account_sid)
      return wrong('application', 'Its application is of the account that it leaves: name another, or none')
    return kept
  }

  return (row: NumberRow): RowPlan => {
    const number = numberStored(row.number)
    const fault = validateNumber(number, phoneNumberLengths.number)
    if (fault !== undefined) return wrong('number', fault)
    const stated = row.account ? named(accounts, 'account', row.account).sid : (known.ownAccount ?? undefined)
    const carrier = row.carrier
      ? named(carriers, 'carrier', row.carrier, (one) => stated === undefined || serves(one, stated))
      : undefined
    const now = existing(number, carrier)
    const account_sid = stated ?? now?.account_sid ?? wrong('account', 'A new number needs an account')
    const voip_carrier_sid = carrier?.sid ?? now?.voip_carrier_sid ?? null
    const used = carrier ?? carriers.get(folded(voip_carrier_sid ?? ''))?.[0]
    if (used && !serves(used, account_sid))
      return wrong('account', 'The account may not use the carrier of this number')
    const application_sid = applicationOf(row.application, account_sid, now)
    const routed = { number, voip_carrier_sid, account_sid, application_sid }
    if (now === undefined) return { is: 'new', ...routed }
    const stays = now.account_sid === account_sid && now.application_sid === application_sid
    return {
      is: stays ? 'unchanged' : 'changed',
      phone_number_sid: now.phone_number_sid,
      ...routed,
      number: now.number,
    }
  }
}

/** A number that stands in the rows more than once counts the first time. */
export const withoutRepeats = (rows: readonly NumberRow[], plans: readonly RowPlan[]): RowPlan[] => {
  const lines = new Map<string, number>()
  return plans.map((plan, position) => {
    if (plan.is === 'wrong') return plan
    const key = `${folded(plan.number)} ${plan.voip_carrier_sid ?? ''}`
    const before = lines.get(key)
    lines.set(key, before ?? rows[position]?.line ?? position + 1)
    if (before === undefined) return plan
    return { is: 'wrong', column: 'number', why: `The number stands in line ${before} already` }
  })
}

/** What becomes of each row, in their order. */
export const planImport = (rows: readonly NumberRow[], known: KnownThings): RowPlan[] => {
  const plan = createPlanner(known)
  const plans = rows.map((row): RowPlan => {
    try {
      return plan(row)
    } catch (error) {
      if (!(error instanceof Wrong)) throw error
      return { is: 'wrong', column: error.column, why: error.message }
    }
  })
  return withoutRepeats(rows, plans)
}
