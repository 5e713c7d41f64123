import { phoneNumber } from '@patchbay/contract/phone-numbers'
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { selectInListOrder, selectWholeList } from '../../database/list-indexes.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import { startsNoApplication } from '../shared/attention-records.ts'
import { smallOwnerRows } from '../shared/list-pages.ts'
import { countAccountRows, isAccountRow, isOrderedAccountRow, ownsAllCarriers } from '../shared/provider-rows.ts'

/** Filters and prepared queries of the lists of phone numbers. */

/** Columns with the same names as in the API. */
export const columns = phoneNumber.keyof().options

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
      where
        .case()
        .when('voip_carrier_sid', 'is', null)
        .then(where.lit(false))
        .else(where.or([ownsAllCarriers(sid), where('voip_carrier_sid', 'in', selectUsableCarriers(where, sid))]))
        .end()
        .$castTo<SqlBool>(),
    ]),
  ])

/**
 * Matches the numbers of a provider: those of its accounts, and those without an account that name the provider or are
 * on its carriers (auth/owner-lookup.ts). The CASE expression keeps engines from evaluating each part separately and
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
const ofProviderItself: NumberFilter = (where, provider) =>
  where.and([where('account_sid', 'is', null), belongsToProviderItself(where, provider)])

/** Like `isOfProvider`, for rows that are read in the order of the list. */
const ofProviderOrdered: NumberFilter = (where, provider) =>
  where
    .case()
    .when('account_sid', 'is', null)
    .then(belongsToProviderItself(where, provider))
    .else(isOrderedAccountRow('phone_numbers', provider))
    .end()
    .$castTo<SqlBool>()

interface ListFilter {
  /** For rows that are read in the order of the list. */
  ordered: NumberFilter
  /** Disjoint parts, which are counted separately. */
  counted: readonly NumberFilter[]
  /** True if the numbers of the provider's accounts are counted in addition. */
  countsAccounts: boolean
  /** Disjoint parts that the database finds by their owner, so that they can be sorted. */
  ofSmallOwner?: readonly NumberFilter[]
  isOfAccount?: boolean
}

/** Filters of the lists. */
const listFilters = {
  all: { ordered: matchAll, counted: [matchAll], countsAccounts: false },
  ofProvider: {
    ordered: ofProviderOrdered,
    counted: [ofProviderItself],
    countsAccounts: true,
    ofSmallOwner: [(_where, provider) => isAccountRow('phone_numbers', provider), ofProviderItself],
  },
  ofAccount: { ordered: ofAccount, counted: [ofAccount], countsAccounts: false, isOfAccount: true },
  ofBoth: { ordered: ofProviderAndAccount, counted: [ofProviderAndAccount], countsAccounts: false, isOfAccount: true },
} as const satisfies Record<string, ListFilter>

interface ListVariant {
  onCarrier: boolean
  /** Only numbers of an account that start no application. */
  withoutApplication: boolean
  withPart: boolean
}

type ListValues = readonly [provider: string, account: string, carrier: string, part: string]

type NumberQuery = SelectQueryBuilder<Tables, 'phone_numbers', object>

/** Reduces the numbers to those of a list, within one of the parts of its filter. */
const filterWithin = (
  numbers: NumberQuery,
  { onCarrier, withoutApplication, withPart }: ListVariant,
  within: NumberFilter,
  [provider, account, carrier, part]: ListValues,
) =>
  numbers
    .$if(withPart, (query) => query.where(like('number', part)))
    .$if(onCarrier, (query) => query.where('voip_carrier_sid', '=', carrier))
    .$if(withoutApplication, (query) => query.where(startsNoApplication).where('account_sid', 'is not', null))
    .where((where) => within(where, provider, account))

const selectKeys = (numbers: NumberQuery, variant: ListVariant, within: NumberFilter, values: ListValues) =>
  filterWithin(numbers, variant, within, values).select([
    'phone_number_sid as sid',
    'number as first',
    'voip_carrier_sid as second',
  ])

/**
 * Prepared queries of a page. Indexes cover the order and the filters (migrations.ts), so that only the rows of the page
 * are read, even for the last page.
 */
const pageQueries = (reader: Kysely<Tables>, selectAllKeys: (values: ListValues) => ReturnType<typeof selectKeys>) => {
  const page = (direction: 'asc' | 'desc') =>
    prepared(
      reader,
      (provider: string, account: string, carrier: string, part: string, limit: number, offset: number) =>
        reader
          .selectFrom(
            selectAllKeys([provider, account, carrier, part])
              .orderBy('first', direction)
              .orderBy('second', direction)
              .orderBy('sid', direction)
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
    )
  return { selectPage: page('asc'), selectFromEnd: page('desc') }
}

/** Counts the parts of a filter, and the numbers of the provider's accounts if the filter includes them. */
const selectCount = (
  reader: Kysely<Tables>,
  { counted, countsAccounts }: ListFilter,
  variant: ListVariant,
  values: ListValues,
) => {
  const [provider, , carrier, part] = values
  const conditions: Expression<SqlBool>[] = [
    sql.lit(true),
    ...(variant.withPart ? [like('phone_numbers.number', part)] : []),
    ...(variant.withoutApplication ? [startsNoApplication] : []),
    ...(variant.onCarrier ? [sql<SqlBool>`phone_numbers.voip_carrier_sid = ${carrier}`] : []),
  ]
  const counts: Expression<unknown>[] = [
    ...counted.map((within) =>
      filterWithin(reader.selectFrom('phone_numbers'), variant, within, values).select(({ fn }) =>
        fn.countAll<number>().as('total'),
      ),
    ),
    ...(countsAccounts ? [countAccountRows('phone_numbers', provider, sql`${sql.join(conditions, sql` AND `)}`)] : []),
  ]
  return reader.selectNoFrom(sql<number | string>`${sql.join(counts, sql` + `)}`.as('total'))
}

/** Prepared queries of a list. */
const listQueries = (
  { engine, reader, pageReader }: Database,
  missingSchema: ReadonlySet<string>,
  filter: ListFilter,
  variant: ListVariant,
) => {
  const readerOfPages = filter.isOfAccount ? pageReader : reader
  const numbers = reader.selectFrom('phone_numbers')
  // The numbers of an account or a carrier have indexes of their own.
  const hasOwnIndex = filter.isOfAccount === true || variant.onCarrier
  const numbersInOrder = hasOwnIndex ? numbers : selectInListOrder(reader, engine, missingSchema, 'phone_numbers')
  const wholeList = hasOwnIndex ? numbers : selectWholeList(reader, engine, missingSchema, 'phone_numbers')
  const count = prepared(readerOfPages, (provider: string, account: string, carrier: string, part: string) =>
    selectCount(reader, filter, variant, [provider, account, carrier, part]),
  )
  const [first, ...others] = filter.ofSmallOwner ?? []
  const selectKeysOfParts = (values: ListValues) =>
    others.reduce(
      (keys, within) => keys.unionAll(selectKeys(numbers, variant, within, values)),
      selectKeys(numbers, variant, first ?? filter.ordered, values),
    )
  return {
    isSearch: variant.withPart,
    selectAll: prepared(reader, (provider: string, account: string, carrier: string, part: string) =>
      filterWithin(wholeList, variant, filter.ordered, [provider, account, carrier, part])
        .select(columns)
        .orderBy('number')
        .orderBy('voip_carrier_sid')
        .orderBy('phone_number_sid'),
    ),
    ...pageQueries(readerOfPages, (values) => selectKeys(numbersInOrder, variant, filter.ordered, values)),
    count,
    ...(first === undefined
      ? {}
      : {
          ofSmallOwner: {
            ...pageQueries(reader, selectKeysOfParts),
            count,
            countSome: prepared(reader, (provider: string, account: string, _carrier: string, _part: string) =>
              reader
                .selectFrom(
                  reader
                    .selectFrom('phone_numbers')
                    .select('phone_number_sid')
                    .where((where) => first(where, provider, account))
                    .limit(sql.lit(smallOwnerRows + 1))
                    .as('some'),
                )
                .select(({ fn }) => fn.countAll<number | string>().as('total')),
            ),
          },
        }),
  }
}

const ownedLists = (database: Database, missingSchema: ReadonlySet<string>, variant: ListVariant) => ({
  all: listQueries(database, missingSchema, listFilters.all, variant),
  ofProvider: listQueries(database, missingSchema, listFilters.ofProvider, variant),
  ofAccount: listQueries(database, missingSchema, listFilters.ofAccount, variant),
  ofBoth: listQueries(database, missingSchema, listFilters.ofBoth, variant),
})

/** Creates the prepared queries of all lists of a kind. */
export const createNumberLists = (
  database: Database,
  missingSchema: ReadonlySet<string>,
  kind: Omit<ListVariant, 'withPart'>,
) => ({
  whole: ownedLists(database, missingSchema, { ...kind, withPart: false }),
  filtered: ownedLists(database, missingSchema, { ...kind, withPart: true }),
})
