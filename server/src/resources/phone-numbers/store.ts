import type { Actor } from '@patchbay/contract/api/access'
import type { ListPage } from '@patchbay/contract/api/list-pages'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import type { numberAttention } from '@patchbay/contract/shared/attention-kinds'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import { readList, readPage, toLikePattern } from '../shared/list-pages.ts'
import { columns, createNumberLists } from './number-lists.ts'

/** Queries of phone numbers (docs/reference/platform-api/numbers-and-clients.md#phone-numbers). */

/** Filters of a list, in addition to the actor's access. */
interface NumberSearch {
  account_sid?: string | undefined
  service_provider_sid?: string | undefined
  voip_carrier_sid?: string | undefined
  /** Part of the number. */
  filter?: string | undefined
  /** Limits the numbers to those with this problem. */
  attention?: (typeof numberAttention)[number] | undefined
}

export const createPhoneNumberStore = (database: Database, missingSchema: ReadonlySet<string>) => {
  const { db } = database
  const createLists = (onCarrier: boolean) => ({
    all: createNumberLists(database, missingSchema, { onCarrier, withoutApplication: false }),
    withoutApplication: createNumberLists(database, missingSchema, { onCarrier, withoutApplication: true }),
  })
  const [listsOfAnyCarrier, listsOfOneCarrier] = [createLists(false), createLists(true)]
  const one = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select(columns).where('phone_number_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: NumberSearch) => {
    const kinds = search.voip_carrier_sid ? listsOfOneCarrier : listsOfAnyCarrier
    const lists = (search.attention === undefined ? kinds.all : kinds.withoutApplication)[
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
    const values: [string, string, string, string] = [
      provider,
      account,
      search.voip_carrier_sid ?? '',
      toLikePattern(search.filter),
    ]
    return { queries, values }
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
