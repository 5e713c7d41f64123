import type { Actor } from '@patchbay/contract/access'
import type { ListPage } from '@patchbay/contract/list-pages'
import { phoneNumber, type PhoneNumber } from '@patchbay/contract/phone-numbers'
import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import { toLikePattern, readList, readPage } from '../shared/list-pages.ts'

/** How phone numbers are read (api/2-telephony.md §7, §16). */

/** Answered as members of the same name. */
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

/** Of those that are of no account. */
const isItsOwn = (where: Where, sid: string) =>
  where.or([
    where('service_provider_sid', '=', sid),
    where.and([
      where('service_provider_sid', 'is', null),
      where('voip_carrier_sid', 'in', selectUsableCarriers(where, sid)),
    ]),
  ])

/**
 * A provider's are those of its accounts, and of no account those that name it or are on its carriers
 * (stores/owners.ts). Said so that no engine looks up each part by itself and puts all of them in order afterwards.
 */
export const isOfProvider = (where: Where, sid: string) =>
  where
    .case()
    .when('account_sid', 'is', null)
    .then(isItsOwn(where, sid))
    .else(belongsToItsAccounts(where, sid))
    .end()
    .$castTo<SqlBool>()

type Narrow = (where: Where, provider: string, account: string) => Expression<SqlBool>

const everything: Narrow = (where) => where.lit(true)
const ofAccount: Narrow = (where, _provider, account) => where('account_sid', '=', account)
const ofBoth: Narrow = (where, provider, account) =>
  where.and([where('account_sid', '=', account), isOfProvider(where, provider)])

/** Whose numbers a list holds, and in which parts they are counted. */
const narrowings = {
  all: { narrow: everything, parts: [everything] },
  ofProvider: {
    narrow: isOfProvider,
    parts: [
      belongsToItsAccounts,
      (where, provider) => where.and([where('account_sid', 'is', null), isItsOwn(where, provider)]),
    ],
  },
  ofAccount: { narrow: ofAccount, parts: [ofAccount] },
  ofBoth: { narrow: ofBoth, parts: [ofBoth] },
} as const satisfies Record<string, { narrow: Narrow; parts: readonly Narrow[] }>

interface Asked {
  onCarrier: boolean
  withPart: boolean
}

/**
 * The ways to ask for one list, compiled once. The order, and what narrows it, stand in indexes (migrations.ts), so that
 * only the rows of the page itself are read, however far behind it is.
 */
const listQueries = (
  { reader }: Database,
  { narrow, parts }: { narrow: Narrow; parts: readonly Narrow[] },
  { onCarrier, withPart }: Asked,
) => {
  const rows = (provider: string, account: string, carrier: string, part: string, within = narrow) =>
    reader
      .selectFrom('phone_numbers')
      .$if(withPart, (all) => all.where(like('number', part)))
      .$if(onCarrier, (all) => all.where('voip_carrier_sid', '=', carrier))
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
          // A cross join keeps SQLite from walking all numbers once more, in their order.
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

const ownedLists = (database: Database, asked: Asked) => ({
  all: listQueries(database, narrowings.all, asked),
  ofProvider: listQueries(database, narrowings.ofProvider, asked),
  ofAccount: listQueries(database, narrowings.ofAccount, asked),
  ofBoth: listQueries(database, narrowings.ofBoth, asked),
})

const allLists = (database: Database, onCarrier: boolean) => ({
  whole: ownedLists(database, { onCarrier, withPart: false }),
  filtered: ownedLists(database, { onCarrier, withPart: true }),
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
  const onAny = allLists(database, false)
  const onOne = allLists(database, true)
  const one = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: NumberSearch) => {
    const lists = (search.voip_carrier_sid ? onOne : onAny)[search.filter ? 'filtered' : 'whole']
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

  const searched = (actor: Actor, search: NumberSearch) => {
    const { queries, provider, account } = listFor(actor, search)
    return {
      queries,
      values: [provider, account, search.voip_carrier_sid ?? '', toLikePattern(search.filter)] as const,
    }
  }

  return {
    list: (actor: Actor, search: NumberSearch, page: ListPage | undefined) => {
      const { queries, values } = searched(actor, search)
      return readList(queries, values, page, (row) => row)
    },
    page: (actor: Actor, search: NumberSearch, page: ListPage) => {
      const { queries, values } = searched(actor, search)
      return readPage(queries, values, page, (row) => row)
    },
    ofProvider: (actor: Actor, service_provider_sid: string): Promise<PhoneNumber[]> => {
      const { queries, provider, account } = listFor(actor, { service_provider_sid })
      return queries.selectAll(provider, account, '', toLikePattern())
    },
    read: async (phone_number_sid: string): Promise<PhoneNumber | undefined> => (await one(phone_number_sid))[0],
  }
}
