import type { AccountTest } from '@patchbay/contract/account-test'
import { type Actor, can } from '@patchbay/contract/api/access'
import type { StoredHook } from '@patchbay/contract/api/hooks'
import type { ListPage } from '@patchbay/contract/api/list-pages'
import { type Application, application } from '@patchbay/contract/applications'
import { type Expression, type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { selectInListOrder } from '../../database/list-indexes.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { readList, smallOwnerRows, toLikePattern, toPage } from '../shared/list-pages.ts'
import { countAccountRows, isAccountRow, isOrderedAccountRow } from '../shared/provider-rows.ts'
import { hookColumns, toStoredHook } from '../shared/webhooks.ts'
import { toResponseVariables } from './variables.ts'

/** Queries of applications (docs/reference/platform-api/applications.md). */

/** Columns with the same names as in the API. */
const memberColumns = application
  .omit({ call_hook: true, call_status_hook: true, messaging_hook: true })
  .keyof().options

const selectApplications = (db: Kysely<Tables>, missingSchema: ReadonlySet<string>) =>
  db
    .selectFrom('applications')
    .leftJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .leftJoin('webhooks as call_hook', 'call_hook.webhook_sid', 'applications.call_hook_sid')
    .leftJoin('webhooks as call_status_hook', 'call_status_hook.webhook_sid', 'applications.call_status_hook_sid')
    .leftJoin('webhooks as messaging_hook', (join) =>
      missingSchema.has('applications.messaging_hook_sid')
        ? join.on((where) => where.lit(false))
        : join.onRef('messaging_hook.webhook_sid', '=', 'applications.messaging_hook_sid'),
    )
    .select(memberColumns.map((column) => `applications.${column}` as const))
    .select('accounts.service_provider_sid as provider_of_account')
    .select(hookColumns('call_hook'))
    .select(hookColumns('call_status_hook'))
    .select(hookColumns('messaging_hook'))

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof selectApplications>['executeTakeFirstOrThrow']>>

const canChangeRow = ({ account_sid, service_provider_sid, provider_of_account }: ApplicationRow, actor: Actor) =>
  can(actor, 'write', { account_sid, service_provider_sid: provider_of_account ?? service_provider_sid })

/** Converts an application. Passwords and secret variables are masked unless the actor may edit it. */
const toApplication = (row: ApplicationRow, actor: Actor | undefined, encryption: Encryption): Application => {
  const canChange = actor !== undefined && canChangeRow(row, actor)
  const members = Object.fromEntries(memberColumns.map((column) => [column, row[column]]))
  return {
    ...(members as Pick<ApplicationRow, (typeof memberColumns)[number]>),
    call_hook: toStoredHook(row, 'call_hook', canChange),
    call_status_hook: toStoredHook(row, 'call_status_hook', canChange),
    messaging_hook: toStoredHook(row, 'messaging_hook', canChange),
    env_vars: toResponseVariables(row.env_vars, canChange, encryption),
  }
}

/** Conditions of a list for the SID of its owner. */
interface ListFilter {
  /** For rows that are read in the order of the list. */
  ordered: (sid: string) => Expression<SqlBool>
  count: (sid: string, condition: Expression<SqlBool>) => RawBuilder<number | string>
  /** For rows that are found by their owner and then sorted. */
  ofSmallOwner?: (sid: string) => Expression<SqlBool>
  isOfAccount?: boolean
}

const countRows = (rows: Expression<SqlBool>, condition: Expression<SqlBool>) =>
  sql<number | string>`(SELECT COUNT(*) FROM applications WHERE ${rows} AND ${condition})`

const isInAccount = (sid: string) => sql<SqlBool>`applications.account_sid = ${sid}`

/** Filters of the application lists. */
const listFilters = {
  all: { ordered: () => sql.lit(true), count: (_sid, condition) => countRows(sql.lit(true), condition) },
  ofProvider: {
    ordered: (sid) => isOrderedAccountRow('applications', sid),
    count: (sid, condition) => countAccountRows('applications', sid, condition),
    ofSmallOwner: (sid) => isAccountRow('applications', sid),
  },
  ofAccount: {
    ordered: isInAccount,
    count: (sid, condition) => countRows(isInAccount(sid), condition),
    isOfAccount: true,
  },
} as const satisfies Record<string, ListFilter>

/** Prepared queries of a page. They find the keys of its rows in an index and read only these rows. */
const pageQueries = (
  reader: Kysely<Tables>,
  missingSchema: ReadonlySet<string>,
  applications: SelectQueryBuilder<Tables, 'applications', object>,
  filter: ListFilter['ordered'],
  isSearch: boolean,
) => {
  const keys = (sid: string, name: string, direction: 'asc' | 'desc') =>
    applications
      .select(['applications.application_sid as sid', 'applications.name as first'])
      .$if(isSearch, (query) => query.where(like('applications.name', name)))
      .where(filter(sid))
      .orderBy('applications.name', direction)
      .orderBy('applications.application_sid', direction)
  const page = (direction: 'asc' | 'desc') =>
    prepared(reader, (sid: string, name: string, limit: number, offset: number) =>
      selectApplications(reader, missingSchema)
        .innerJoin(
          keys(sid, name, direction).limit(limit).offset(offset).as('page'),
          'page.sid',
          'applications.application_sid',
        )
        .orderBy('page.first')
        .orderBy('page.sid'),
    )
  return { selectPage: page('asc'), selectFromEnd: page('desc') }
}

/** Prepared queries of a list. */
const listQueries = (
  { engine, reader, pageReader }: Database,
  missingSchema: ReadonlySet<string>,
  { ordered, count, ofSmallOwner, isOfAccount = false }: ListFilter,
  isSearch: boolean,
) => {
  const matchesName = (name: string) => (isSearch ? like('applications.name', name) : sql.lit(true))
  const readerOfPages = isOfAccount ? pageReader : reader
  const applications = reader.selectFrom('applications')
  // The applications of an account have an index of their own.
  const inOrder = isOfAccount ? applications : selectInListOrder(reader, engine, missingSchema, 'applications')
  const countMatching = prepared(readerOfPages, (sid: string, name: string) =>
    reader.selectNoFrom(count(sid, matchesName(name)).as('total')),
  )
  return {
    isSearch,
    selectAll: prepared(reader, (sid: string, name: string) =>
      selectApplications(reader, missingSchema)
        .$if(isSearch, (query) => query.where(like('applications.name', name)))
        .where((ofSmallOwner ?? ordered)(sid))
        .orderBy('applications.application_sid'),
    ),
    ...pageQueries(readerOfPages, missingSchema, inOrder, ordered, isSearch),
    count: countMatching,
    ...(ofSmallOwner === undefined
      ? {}
      : {
          ofSmallOwner: {
            ...pageQueries(reader, missingSchema, applications, ofSmallOwner, isSearch),
            count: countMatching,
            countSome: prepared(reader, (sid: string, _name: string) =>
              reader
                .selectFrom(
                  reader
                    .selectFrom('applications')
                    .select('applications.application_sid')
                    .where(ofSmallOwner(sid))
                    .limit(sql.lit(smallOwnerRows + 1))
                    .as('some'),
                )
                .select(({ fn }) => fn.countAll<number | string>().as('total')),
            ),
          },
        }),
  }
}

/** Filters of a list. The actor's access to the account or provider has been checked. */
interface ApplicationSearch {
  account_sid?: string
  service_provider_sid?: string
  /** Part of the name. */
  name?: string | undefined
}

export const createApplicationStore = (
  database: Database,
  missingSchema: ReadonlySet<string>,
  encryption: Encryption,
) => {
  const { db } = database
  const lists = (isSearch: boolean) => ({
    all: listQueries(database, missingSchema, listFilters.all, isSearch),
    ofProvider: listQueries(database, missingSchema, listFilters.ofProvider, isSearch),
    ofAccount: listQueries(database, missingSchema, listFilters.ofAccount, isSearch),
  })
  const [whole, searched] = [lists(false), lists(true)]
  const one = prepared(db, (sid: string) =>
    selectApplications(db, missingSchema).where('applications.application_sid', '=', sid),
  )

  const listFor = (actor: Actor, { account_sid, service_provider_sid, name }: ApplicationSearch) => {
    const { all, ofProvider, ofAccount } = name ? searched : whole
    if (actor.scope === 'account') return { queries: ofAccount, sid: actor.account_sid ?? '' }
    if (account_sid !== undefined) return { queries: ofAccount, sid: account_sid }
    if (actor.scope === 'service_provider') return { queries: ofProvider, sid: actor.service_provider_sid ?? '' }
    return service_provider_sid === undefined
      ? { queries: all, sid: '' }
      : { queries: ofProvider, sid: service_provider_sid }
  }

  return {
    list: (actor: Actor, search: ApplicationSearch, page: ListPage | undefined) => {
      const { queries, sid } = listFor(actor, search)
      return readList(queries, [sid, toLikePattern(search.name)], page, (row) => toApplication(row, actor, encryption))
    },
    /** Lists those of some applications that a search finds. The caller has checked the access to them. */
    listSome: async (actor: Actor, sids: readonly string[], search: ApplicationSearch, page: ListPage | undefined) => {
      if (sids.length === 0)
        return toPage<ApplicationRow, Application>([], page, (row) => toApplication(row, actor, encryption))
      const rows = await selectApplications(database.reader, missingSchema)
        .where('applications.application_sid', 'in', sids)
        .where(like('applications.name', toLikePattern(search.name)))
        .$if(search.account_sid !== undefined, (query) =>
          query.where('applications.account_sid', '=', search.account_sid ?? ''),
        )
        .orderBy('applications.name')
        .orderBy('applications.application_sid')
        .execute()
      return toPage(rows, page, (row) => toApplication(row, actor, encryption))
    },
    read: async (actor: Actor, application_sid: string): Promise<Application | undefined> => {
      const [row] = await one(application_sid)
      return row && toApplication(row, actor, encryption)
    },
  }
}

const withoutCredentials = (hook: StoredHook | null): StoredHook | null =>
  hook && { ...hook, username: null, password: null }

/**
 * Creates a reader for the test numbers and test applications of a service provider. The response contains no
 * credentials and no variables, because anonymous clients can read it.
 */
export const createTestResourcesReader = (
  { db }: Database,
  missingSchema: ReadonlySet<string>,
  encryption: Encryption,
) => {
  const findNumbers = prepared(db, (sid: string) =>
    db.selectFrom('phone_numbers').select('number').where('service_provider_sid', '=', sid).orderBy('number'),
  )
  const findApplications = prepared(db, (sid: string) =>
    selectApplications(db, missingSchema)
      .where('applications.service_provider_sid', '=', sid)
      .orderBy('applications.name')
      .orderBy('applications.application_sid'),
  )
  return async (service_provider_sid: string): Promise<AccountTest> => {
    const numbers = await findNumbers(service_provider_sid)
    const rows = await findApplications(service_provider_sid)
    const applications = rows.map((row) => {
      const { call_hook, call_status_hook, messaging_hook, ...members } = toApplication(row, undefined, encryption)
      return {
        ...members,
        call_hook: withoutCredentials(call_hook),
        call_status_hook: withoutCredentials(call_status_hook),
        messaging_hook: withoutCredentials(messaging_hook),
        env_vars: null,
      }
    })
    return { phonenumbers: numbers.map(({ number }) => number), applications }
  }
}

/** Creates a reader for the accounts whose secret signs webhook requests (docs/reference/platform-api/tenants.md#webhook-secret). */
export const createSigningAccountReader = ({ db }: Database) => {
  const accounts = prepared(db, (sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'webhook_secret'])
      .where('account_sid', '=', sid),
  )
  return async (account_sid: string) => (await accounts(account_sid))[0]
}
