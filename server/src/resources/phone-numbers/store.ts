import type { Actor } from '@patchbay/contract/access'
import type { ListPage } from '@patchbay/contract/list-pages'
import { phoneNumber, type PhoneNumber } from '@patchbay/contract/phone-numbers'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import { toLikePattern, readList, readPage } from '../shared/list-pages.ts'

/** Queries of phone numbers (docs/reference/platform-api/numbers-and-clients.md#phone-numbers). */

/** Columns with the same names as in the API. */
const columns = phoneNumber.keyof().options

type Where = ExpressionBuilder<Tables, 'phone_numbers'>

export const selectUsableCarriers = (where: Where, provider: string) =>
  where
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select('voip_carriers.voip_carrier_sid')
    .where(
      ({ fn }) => fn.coalesce('accounts.service_provider_sid', 'voip_carriers.service_provider_sid'),
      '=',
      provider,
    )

const belongsToItsAccounts = (where: Where, sid: string) =>
  where(
    'account_sid',
    'in',
    where.selectFrom('accounts').select('accounts.account_sid').where('accounts.service_provider_sid', '=', sid),
  )

/** Matches numbers without an account. The caller checks that. */
const belongsToProviderItself = (where: Where, sid: string) =>
  where.or([
    where('service_provider_sid', '=', sid),
    where.and([
      where('service_provider_sid', 'is', null),
      where('voip_carrier_sid', 'in', selectUsableCarriers(where, sid)),
    ]),
  ])

/**
 * Matches the numbers of a provider: those of its accounts, and those without an account that name the provider or are
 * on its carriers (stores/owners.ts). The CASE expression keeps engines from evaluating each part separately and
 * sorting the combined result.
 */
export const isOfProvider = (where: Where, sid: string) =>
  where
    .case()
    .when('account_sid', 'is', null)
    .then(belongsToProviderItself(where, sid))
    .else(belongsToItsAccounts(where, sid))
    .end()
    .$castTo<SqlBool>()

type NumberFilter = (where: Where, provider: string, account: string) => Expression<SqlBool>

const matchAll: NumberFilter = (where) => where.lit(true)
const ofAccount: NumberFilter = (where, _provider, account) => where('account_sid', '=', account)
const ofProviderAndAccount: NumberFilter = (where, provider, account) =>
  where.and([where('account_sid', '=', account), isOfProvider(where, provider)])

/** Filters of the lists, and the parts in which their rows are counted. */
const listFilters = {
  all: { filter: matchAll, parts: [matchAll] },
  ofProvider: {
    filter: isOfProvider,
    parts: [
      belongsToItsAccounts,
      (where, provider) => where.and([where('account_sid', 'is', null), belongsToProviderItself(where, provider)]),
    ],
  },
  ofAccount: { filter: ofAccount, parts: [ofAccount] },
  ofBoth: { filter: ofProviderAndAccount, parts: [ofProviderAndAccount] },
} as const satisfies Record<string, { filter: NumberFilter; parts: readonly NumberFilter[] }>

interface ListVariant {
  onCarrier: boolean
  withPart: boolean
}

/**
 * Prepared queries of a list. Indexes cover the order and the filters (migrations.ts), so that only the rows of the
 * page are read, even for the last page.
 */
const listQueries = (
  { reader }: Database,
  { filter, parts }: { filter: NumberFilter; parts: readonly NumberFilter[] },
  { onCarrier, withPart }: ListVariant,
) => {
  const rows = (provider: string, account: string, carrier: string, part: string, within = filter) =>
    reader
      .selectFrom('phone_numbers')
      .$if(withPart, (query) => query.where(like('number', part)))
      .$if(onCarrier, (query) => query.where('voip_carrier_sid', '=', carrier))
      .where((where) => within(where, provider, account))
  return {
    selectAll: prepared(reader, (provider: string, account: string, carrier: string, part: string) =>
      rows(provider, account, carrier, part)
        .select(columns)
        .orderBy('number')
        .orderBy('voip_carrier_sid')
        .orderBy('phone_number_sid'),
    ),
    selectPage: prepared(
      reader,
      (provider: string, account: string, carrier: string, part: string, limit: number, offset: number) =>
        reader
          .selectFrom(
            rows(provider, account, carrier, part)
              .select(['phone_number_sid as sid', 'number as first', 'voip_carrier_sid as second'])
              .orderBy('number')
              .orderBy('voip_carrier_sid')
              .orderBy('phone_number_sid')
              .limit(limit)
              .offset(offset)
              .as('page'),
          )
          // A cross join prevents SQLite from scanning all numbers again in their order.
          .crossJoin('phone_numbers')
          .whereRef('phone_numbers.phone_number_sid', '=', 'page.sid')
          .select(columns)
          .orderBy('page.first')
          .orderBy('page.second')
          .orderBy('page.sid'),
    ),
    count: prepared(reader, (provider: string, account: string, carrier: string, part: string) => {
      const counts = parts.map((within) =>
        rows(provider, account, carrier, part, within).select(({ fn }) => fn.countAll<number>().as('total')),
      )
      return reader.selectNoFrom(sql<number | string>`${sql.join(counts, sql` + `)}`.as('total'))
    }),
  }
}

const ownedLists = (database: Database, variant: ListVariant) => ({
  all: listQueries(database, listFilters.all, variant),
  ofProvider: listQueries(database, listFilters.ofProvider, variant),
  ofAccount: listQueries(database, listFilters.ofAccount, variant),
  ofBoth: listQueries(database, listFilters.ofBoth, variant),
})

const allLists = (database: Database, onCarrier: boolean) => ({
  whole: ownedLists(database, { onCarrier, withPart: false }),
  filtered: ownedLists(database, { onCarrier, withPart: true }),
})

/** Filters of a list, in addition to the actor's access. */
interface NumberSearch {
  account_sid?: string | undefined
  service_provider_sid?: string | undefined
  voip_carrier_sid?: string | undefined
  /** Part of the number. */
  filter?: string | undefined
}

export const createPhoneNumberStore = (database: Database) => {
  const { db } = database
  const listsOfAnyCarrier = allLists(database, false)
  const listsOfOneCarrier = allLists(database, true)
  const one = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: NumberSearch) => {
    const lists = (search.voip_carrier_sid ? listsOfOneCarrier : listsOfAnyCarrier)[
      search.filter ? 'filtered' : 'whole'
    ]
    if (actor.scope === 'account') return { queries: lists.ofAccount, provider: '', account: actor.account_sid ?? '' }
    const requestedProvider = search.service_provider_sid || undefined
    const provider = actor.scope === 'service_provider' ? (actor.service_provider_sid ?? '') : requestedProvider
    const account = search.account_sid || undefined
    if (provider === undefined)
      return account === undefined
        ? { queries: lists.all, provider: '', account: '' }
        : { queries: lists.ofAccount, provider: '', account }
    return account === undefined
      ? { queries: lists.ofProvider, provider, account: '' }
      : { queries: lists.ofBoth, provider, account }
  }

  const prepareSearch = (actor: Actor, search: NumberSearch) => {
    const { queries, provider, account } = listFor(actor, search)
    return {
      queries,
      values: [provider, account, search.voip_carrier_sid ?? '', toLikePattern(search.filter)] as const,
    }
  }

  return {
    list: (actor: Actor, search: NumberSearch, page: ListPage | undefined) => {
      const { queries, values } = prepareSearch(actor, search)
      return readList(queries, values, page, (row) => row)
    },
    page: (actor: Actor, search: NumberSearch, page: ListPage) => {
      const { queries, values } = prepareSearch(actor, search)
      return readPage(queries, values, page, (row) => row)
    },
    ofProvider: (actor: Actor, service_provider_sid: string): Promise<PhoneNumber[]> => {
      const { queries, provider, account } = listFor(actor, { service_provider_sid })
      return queries.selectAll(provider, account, '', toLikePattern())
    },
    read: async (phone_number_sid: string): Promise<PhoneNumber | undefined> => (await one(phone_number_sid))[0],
  }
}
