import { type VoipCarrier, voipCarrier } from '@patchbay/contract/voip-carriers'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import { selectExisting } from '../shared/missing-columns.ts'

/** Filters and prepared queries of the lists of carriers. */

const columns = voipCarrier.keyof().options

export const selectCarriers = (db: Kysely<Tables>, missingSchema: ReadonlySet<string>) =>
  db
    .selectFrom('voip_carriers')
    .select(selectExisting(missingSchema, 'voip_carriers', columns))
    .$castTo<StoredCarrier>()

export type StoredCarrier = Omit<VoipCarrier, 'register_status'> & { register_status: string | null }

type Where = ExpressionBuilder<Tables, 'voip_carriers'>

/** Matches carriers that an account may use: its own, and the shared ones of its provider. */
export const isUsedBy = (where: Where, account: string) =>
  where.or([
    where('voip_carriers.account_sid', '=', account),
    where.and([
      where('voip_carriers.account_sid', 'is', null),
      where(
        'voip_carriers.service_provider_sid',
        '=',
        where
          .selectFrom('accounts')
          .select('accounts.service_provider_sid')
          .where('accounts.account_sid', '=', account),
      ),
    ]),
  ])

export const isOfProvider = (where: Where, provider: string) =>
  where('voip_carriers.service_provider_sid', '=', provider)

/** Matches the carriers that belong to an account of a provider. */
export const isOwnedBy = (where: Where, provider: string, account: string) =>
  where.and([
    where('voip_carriers.account_sid', '=', account),
    where.exists(
      where
        .selectFrom('accounts')
        .select('accounts.account_sid')
        .where('accounts.account_sid', '=', account)
        .where('accounts.service_provider_sid', '=', provider),
    ),
  ])

/** Filters of the carrier lists. */
const listFilters = {
  all: () => (where: Where) => where.lit(true),
  ofProvider: (provider: string) => (where: Where) => isOfProvider(where, provider),
  usedBy: (_provider: string, account: string) => (where: Where) => isUsedBy(where, account),
  ofProviderUsedBy: (provider: string, account: string) => (where: Where) =>
    where.and([isOfProvider(where, provider), isUsedBy(where, account)]),
  ownedBy: (provider: string, account: string) => (where: Where) => isOwnedBy(where, provider, account),
} as const

/** Prepared queries of a list. Those of a page find the keys of its rows in an index and read only these rows. */
const listQueries = (
  { reader, pageReader }: Database,
  missingSchema: ReadonlySet<string>,
  filter: (typeof listFilters)[keyof typeof listFilters],
  isSearch: boolean,
) => {
  const keys = (provider: string, account: string, part: string) =>
    reader
      .selectFrom('voip_carriers')
      .where(filter(provider, account))
      .$if(isSearch, (query) => query.where(like('voip_carriers.name', part)))
  const page = (direction: 'asc' | 'desc') =>
    prepared(pageReader, (provider: string, account: string, part: string, limit: number, offset: number) =>
      selectCarriers(reader, missingSchema)
        .innerJoin(
          keys(provider, account, part)
            .select(['voip_carriers.voip_carrier_sid as sid', 'voip_carriers.name as first'])
            .orderBy('voip_carriers.name', direction)
            .orderBy('voip_carriers.voip_carrier_sid', direction)
            .limit(limit)
            .offset(offset)
            .as('page'),
          'page.sid',
          'voip_carriers.voip_carrier_sid',
        )
        .orderBy('page.first')
        .orderBy('page.sid'),
    )
  return {
    isSearch,
    selectAll: prepared(reader, (provider: string, account: string, part: string) =>
      selectCarriers(reader, missingSchema)
        .where(filter(provider, account))
        .$if(isSearch, (query) => query.where(like('voip_carriers.name', part)))
        .orderBy('voip_carriers.name')
        .orderBy('voip_carriers.voip_carrier_sid'),
    ),
    selectPage: page('asc'),
    selectFromEnd: page('desc'),
    count: prepared(pageReader, (provider: string, account: string, part: string) =>
      keys(provider, account, part).select(({ fn }) => fn.countAll<number | string>().as('total')),
    ),
  }
}

/** Creates the prepared queries of all lists. `isSearch`: those that look for a part of the name. */
export const createCarrierLists = (database: Database, missingSchema: ReadonlySet<string>, isSearch: boolean) => ({
  all: listQueries(database, missingSchema, listFilters.all, isSearch),
  ofProvider: listQueries(database, missingSchema, listFilters.ofProvider, isSearch),
  ownedBy: listQueries(database, missingSchema, listFilters.ownedBy, isSearch),
  usedBy: listQueries(database, missingSchema, listFilters.usedBy, isSearch),
  ofProviderUsedBy: listQueries(database, missingSchema, listFilters.ofProviderUsedBy, isSearch),
})
