import type { Actor } from '@patchbay/contract/access'
import type { ListPage } from '@patchbay/contract/list-pages'
import { phoneNumber, type PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { ExpressionBuilder } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import { anywhere, readList } from '../../stores/list-pages.ts'

/** All SQL of phone numbers (api/2-telephony.md §7, §16). */

/** Answered as members of the same name. */
const columns = phoneNumber.keyof().options

type Where = ExpressionBuilder<Tables, 'phone_numbers'>

/** A provider's are those of its accounts, and of no account those that name it themselves. */
const isOfProvider = (where: Where, sid: string) =>
  where.or([
    where(
      'account_sid',
      'in',
      where.selectFrom('accounts').select('accounts.account_sid').where('accounts.service_provider_sid', '=', sid),
    ),
    where.and([where('account_sid', 'is', null), where('service_provider_sid', '=', sid)]),
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
const listQueries = ({ reader }: Database, narrow: (typeof narrowings)[keyof typeof narrowings]) => {
  const rows = (provider: string, account: string, part: string) =>
    reader.selectFrom('phone_numbers').where(narrow(provider, account)).where(like('number', part))
  const ordered = (provider: string, account: string, part: string) =>
    rows(provider, account, part).select(columns).orderBy('number').orderBy('phone_number_sid')
  return {
    whole: prepared(reader, ordered),
    some: prepared(reader, (provider: string, account: string, part: string, limit: number, offset: number) =>
      ordered(provider, account, part).limit(limit).offset(offset),
    ),
    count: prepared(reader, (provider: string, account: string, part: string) =>
      rows(provider, account, part).select(({ fn }) => fn.countAll<number | string>().as('total')),
    ),
  }
}

/** Which numbers are listed; only what the actor may see of them comes. */
interface NumberSearch {
  account_sid?: string | undefined
  service_provider_sid?: string | undefined
  /** a part of the number */
  filter?: string | undefined
}

export const createPhoneNumberStore = (database: Database) => {
  const { db } = database
  const lists = {
    all: listQueries(database, narrowings.all),
    ofProvider: listQueries(database, narrowings.ofProvider),
    ofAccount: listQueries(database, narrowings.ofAccount),
    ofBoth: listQueries(database, narrowings.ofBoth),
  }
  const one = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: NumberSearch) => {
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
      return readList(queries, [provider, account, anywhere(search.filter)], page, (row) => row)
    },
    ofProvider: (actor: Actor, service_provider_sid: string): Promise<PhoneNumber[]> => {
      const { queries, provider, account } = listFor(actor, { service_provider_sid })
      return queries.whole(provider, account, anywhere())
    },
    read: async (phone_number_sid: string): Promise<PhoneNumber | undefined> => (await one(phone_number_sid))[0],
  }
}
