import { type Actor, can } from '@patchbay/contract/access'
import type { AccountTest } from '@patchbay/contract/account-test'
import { type Application, application } from '@patchbay/contract/applications'
import type { StoredHook } from '@patchbay/contract/hooks'
import type { ListPage } from '@patchbay/contract/list-pages'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { toLikePattern, readList } from '../shared/list-pages.ts'
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

type Where = ExpressionBuilder<Tables, 'applications'>

/** Filters of the application lists. */
const listFilters = {
  all: () => (where: Where) => where.lit(true),
  ofProvider: (sid: string) => (where: Where) =>
    where(
      'applications.account_sid',
      'in',
      where.selectFrom('accounts').select('accounts.account_sid').where('accounts.service_provider_sid', '=', sid),
    ),
  ofAccount: (sid: string) => (where: Where) => where('applications.account_sid', '=', sid),
} as const

/** Prepared queries of a list. */
const listQueries = (
  { reader }: Database,
  missingSchema: ReadonlySet<string>,
  filter: (typeof listFilters)[keyof typeof listFilters],
) => {
  const rows = (sid: string, name: string) =>
    selectApplications(reader, missingSchema).where(filter(sid)).where(like('applications.name', name))
  return {
    selectAll: prepared(reader, (sid: string, name: string) => rows(sid, name).orderBy('applications.application_sid')),
    selectPage: prepared(reader, (sid: string, name: string, limit: number, offset: number) =>
      rows(sid, name).orderBy('applications.name').orderBy('applications.application_sid').limit(limit).offset(offset),
    ),
    count: prepared(reader, (sid: string, name: string) =>
      reader
        .selectFrom('applications')
        .select(({ fn }) => fn.countAll<number | string>().as('total'))
        .where(filter(sid))
        .where(like('applications.name', name)),
    ),
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
  const all = listQueries(database, missingSchema, listFilters.all)
  const ofProvider = listQueries(database, missingSchema, listFilters.ofProvider)
  const ofAccount = listQueries(database, missingSchema, listFilters.ofAccount)
  const one = prepared(db, (sid: string) =>
    selectApplications(db, missingSchema).where('applications.application_sid', '=', sid),
  )

  const listFor = (actor: Actor, { account_sid, service_provider_sid }: ApplicationSearch) => {
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
    ofProvider: async (actor: Actor, service_provider_sid: string): Promise<Application[]> => {
      const { queries, sid } = listFor(actor, { service_provider_sid })
      return (await queries.selectAll(sid, toLikePattern())).map((row) => toApplication(row, actor, encryption))
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
