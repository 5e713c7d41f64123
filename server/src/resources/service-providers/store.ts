import { randomUUID } from 'node:crypto'
import { type Actor, can } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { getBlockers } from '@patchbay/contract/api/record-tables'
import {
  type newServiceProvider,
  type ServiceProvider,
  serviceProvider,
  type serviceProviderChange,
} from '@patchbay/contract/service-providers'
import { serviceProviderTable } from '@patchbay/contract/service-providers/record'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { requestDataDeletion } from '../shared/data-deletions.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import { findFirstUse } from '../shared/references.ts'
import { deleteUnusedHooks, saveHook, toHook, withHooks } from '../shared/webhooks.ts'

/** SQL of service providers (docs/reference/platform-api/tenants.md#service-providers). */

/** Columns with the same names as in the API. */
const memberColumns = serviceProvider.omit({ registration_hook: true }).keyof().options

const selectProviders = (db: Kysely<Tables>) =>
  db
    .selectFrom('service_providers')
    .leftJoin('webhooks', 'webhooks.webhook_sid', 'service_providers.registration_hook_sid')
    .select(memberColumns.map((column) => `service_providers.${column}` as const))
    .select(['webhooks.url', 'webhooks.method', 'webhooks.username', 'webhooks.password'])

type ProviderRow = Awaited<ReturnType<ReturnType<typeof selectProviders>['executeTakeFirstOrThrow']>>

const toServiceProvider = (
  { url, method, username, password, ...provider }: ProviderRow,
  actor: Actor,
): ServiceProvider => ({
  ...provider,
  registration_hook: toHook(
    { url, method, username, password },
    can(actor, 'write', { account_sid: null, service_provider_sid: provider.service_provider_sid }),
  ),
})

/** Returns the provider of the caller, or all providers for an admin. */
export const listProviders = async ({ db }: Database, actor: Actor): Promise<ServiceProvider[]> => {
  const rows = selectProviders(db).orderBy('service_providers.name')
  const own = actor.service_provider_sid ?? ''
  const visibleRows = actor.scope === 'admin' ? rows : rows.where('service_providers.service_provider_sid', '=', own)
  return (await visibleRows.execute()).map((row) => toServiceProvider(row, actor))
}

export const readProvider = async (
  { db }: Database,
  actor: Actor,
  service_provider_sid: string,
): Promise<ServiceProvider | undefined> => {
  const row = await selectProviders(db)
    .where('service_providers.service_provider_sid', '=', service_provider_sid)
    .executeTakeFirst()
  return row && toServiceProvider(row, actor)
}

type NewProvider = z.output<typeof newServiceProvider>
type ProviderChange = z.output<typeof serviceProviderChange>

/** Converts empty strings to null, because two providers without a domain must not violate the unique index. */
const blankToNull = <T extends ProviderChange>({ root_domain, ms_teams_fqdn, ...rest }: T) => ({
  ...rest,
  ...(root_domain === undefined ? {} : { root_domain: root_domain || null }),
  ...(ms_teams_fqdn === undefined ? {} : { ms_teams_fqdn: ms_teams_fqdn || null }),
})

export const createProvider = async (
  write: WriteTransaction,
  { registration_hook = null, ...columns }: NewProvider,
): Promise<string> => {
  const sid = randomUUID()
  const hook = await saveHook(write, null, registration_hook)
  const after = {
    ...blankToNull(columns),
    service_provider_sid: sid,
    name: columns.name,
    registration_hook_sid: hook.sid,
  }
  await write.trx.insertInto('service_providers').values(after).execute()
  write.record({ action: 'create', kind: 'service_provider', sid, before: null, after: await withHooks(write, after) })
  return sid
}

/**
 * Locks a provider for a change. Two concurrent changes could otherwise each create a webhook, and one would remain
 * unused.
 */
const lockRow = async ({ trx, engine }: WriteTransaction, sid: string) => {
  const rows = trx.selectFrom('service_providers').selectAll().where('service_provider_sid', '=', sid)
  return (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
}

export const changeProvider = async (
  write: WriteTransaction,
  sid: string,
  { registration_hook, ...columnChanges }: ProviderChange,
): Promise<void> => {
  const row = await lockRow(write, sid)
  const before = await withHooks(write, row)
  const hook =
    registration_hook === undefined ? undefined : await saveHook(write, row.registration_hook_sid, registration_hook)
  const columns = { ...blankToNull(columnChanges), ...(hook ? { registration_hook_sid: hook.sid } : {}) }
  if (Object.values(columns).some((value) => value !== undefined))
    await write.trx.updateTable('service_providers').set(columns).where('service_provider_sid', '=', sid).execute()
  if (hook) await deleteUnusedHooks(write, [hook.orphan])
  const after = await withHooks(write, await lockRow(write, sid))
  write.record({ action: 'update', kind: 'service_provider', sid, before, after })
}

/** References with an error of their own. The database rejects the deletion because of the others. */
const checkedUses = getBlockers('service_providers').filter(({ reference }) => reference.errorCode !== undefined)

/** Deletes a provider with its carriers, credentials, and keys. Rejects if accounts or users refer to it. */
export const deleteProvider = async (write: WriteTransaction, sid: string): Promise<void> => {
  const { trx } = write
  const row = await lockRow(write, sid)
  const before = await withHooks(write, row)
  const use = await findFirstUse(trx, checkedUses, sid)
  if (use?.reference.errorCode) throwApiError(use.reference.errorCode)
  await deleteRecord(write, serviceProviderTable, sid)
  await requestDataDeletion(write, { service_provider_sid: row.service_provider_sid }, undefined)
  await deleteUnusedHooks(write, [row.registration_hook_sid])
  write.record({ action: 'delete', kind: 'service_provider', sid, before, after: null })
}
