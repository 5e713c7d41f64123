import type { Actor } from '@patchbay/contract/access'
import type { ListPage } from '@patchbay/contract/list-pages'
import { phoneNumber, type PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { ExpressionBuilder } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { anywhere, readList } from '../../stores/list-pages.ts'

/** How phone numbers are read (api/2-telephony.md §7, §16). */

/** Answered as members of the same name. */
const columns = phoneNumber.keyof().options

type Where = ExpressionBuilder<Tables, 'phone_numbers'>

const carriersOf = (where: Where, provider: string) =>
  where
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select('voip_carriers.voip_carrier_sid')
    .where(
      ({ fn }) => fn.coalesce('accounts.service_provider_sid', 'voip_carriers.service_provider_sid'),
      '=',
      provider,
    )

/** A provider's are those of its accounts, and of no account those that name it or are on its carriers (stores/owners.ts). */
const isOfProvider = (where: Where, sid: string) =>
  where.or([
    where(
      'account_sid',
      'in',
      where.selectFrom('accounts').select('accounts.account_sid').where('accounts.service_provider_sid', '=', sid),
    ),
    where.and([where('account_sid', 'is', null), where('service_provider_sid', '=', sid)]),
    where.and([
      where('account_sid', 'is', null),
      where('service_provider_sid', 'is', null),
      where('voip_carrier_sid', 'in', carriersOf(where, sid)),
    ]),
  ])

/** Whose numbers a list holds. */
const narrowings = {
  all: () => (where: Where) => where.lit(true),
  ofProvider: (provider: string) => (where: Where) => isOfProvider(where, provider),
  ofAccount: (_provider: string, account: string) => (where: Where) => where('account_sid', '=', account),
  ofBoth: (provider: string, account: string) => (where: Where) =>
    where.and([where('account_sid', '=', account), isOfProvider(where, provider)]),
} as const

/** The ways to ask for one list, compiled once. */
const listQueries = (
  { reader }: Database,
  narrow: (typeof narrowings)[keyof typeof narrowings],
  { onCarrier }: { onCarrier: boolean },
) => {
  const rows = (provider: string, account: string, carrier: string, part: string) =>
    reader
      .selectFrom('phone_numbers')
      .where(narrow(provider, account))
      .where((where) => (onCarrier ? where('voip_carrier_sid', '=', carrier) : where.lit(true)))
      .where(like('number', part))
  const ordered = (provider: string, account: string, carrier: string, part: string) =>
    rows(provider, account, carrier, part).select(columns).orderBy('number').orderBy('phone_number_sid')
  return {
    whole: prepared(reader, ordered),
    some: prepared(
      reader,
      (provider: string, account: string, carrier: string, part: string, limit: number, offset: number) =>
        ordered(provider, account, carrier, part).limit(limit).offset(offset),
    ),
    count: prepared(reader, (provider: string, account: string, carrier: string, part: string) =>
      rows(provider, account, carrier, part).select(({ fn }) => fn.countAll<number | string>().as('total')),
    ),
  }
}

const allLists = (database: Database, on: { onCarrier: boolean }) => ({
  all: listQueries(database, narrowings.all, on),
  ofProvider: listQueries(database, narrowings.ofProvider, on),
  ofAccount: listQueries(database, narrowings.ofAccount, on),
  ofBoth: listQueries(database, narrowings.ofBoth, on),
})

/** Which numbers are listed; only what the actor may see of them comes. */
interface NumberSearch {
  account_sid?: string | undefined
  service_provider_sid?: string | undefined
  voip_carrier_sid?: string | undefined
  /** a part of the number */
  filter?: string | undefined
}

export const createPhoneNumberStore = (database: Database) => {
  const { db } = database
  const onAny = allLists(database, { onCarrier: false })
  const onOne = allLists(database, { onCarrier: true })
  const one = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: NumberSearch) => {
    const lists = search.voip_carrier_sid ? onOne : onAny
    if (actor.scope === 'account') return { queries: lists.ofAccount, provider: '', account: actor.account_sid ?? '' }
    const asked = search.service_provider_sid || undefined
    const provider = actor.scope === 'service_provider' ? (actor.service_provider_sid ?? '') : asked
    const account = search.account_sid || undefined
    if (provider === undefined)
      return account === undefined
        ? { queries: lists.all, provider: '', account: '' }
        : { queries: lists.ofAccount, provider: '', account }
    return account === undefined
      ? { queries: lists.ofProvider, provider, account: '' }
      : { queries: lists.ofBoth, provider, account }
  }

  return {
    list: (actor: Actor, search: NumberSearch, page: ListPage | undefined) => {
      const { queries, provider, account } = listFor(actor, search)
      const values = [provider, account, search.voip_carrier_sid ?? '', anywhere(search.filter)] as const
      return readList(queries, values, page, (row) => row)
    },
    ofProvider: (actor: Actor, service_provider_sid: string): Promise<PhoneNumber[]> => {
      const { queries, provider, account } = listFor(actor, { service_provider_sid })
      return queries.whole(provider, account, '', anywhere())
    },
    read: async (phone_number_sid: string): Promise<PhoneNumber | undefined> => (await one(phone_number_sid))[0],
  }
}
