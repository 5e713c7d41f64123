import { randomUUID } from 'node:crypto'
import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { ApplicationChange, NewApplication } from '@patchbay/contract/applications'
import { lockOwnedRow } from '../../auth/owner-lookup.ts'
import { resolveAccount, selectAccount } from '../../auth/resolve-owner.ts'
import { classifyDbError } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { findFirstUse } from '../shared/references.ts'
import { deleteUnusedHooks, saveHook, withHooks } from '../shared/webhooks.ts'
import { validateAppJson } from './app-json.ts'
import { applicationBlockers } from './used-by.ts'
import { decryptVariables, encryptVariables } from './variables.ts'

/** Changes of applications (docs/reference/platform-api/applications.md#update-an-application). */

const selectRow = ({ trx }: WriteTransaction, application_sid: string) =>
  trx.selectFrom('applications').selectAll().where('application_sid', '=', application_sid)

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof selectRow>['executeTakeFirstOrThrow']>>

const lockApplication = (write: WriteTransaction, actor: Actor, sid: string) =>
  lockOwnedRow(write, actor, { kind: 'application', sid, rows: selectRow(write, sid) }, 'insufficient_permissions')

/** Returns the representation for the audit trail, which hides all variables. */
const toAuditRecord = async (
  write: WriteTransaction,
  row: ApplicationRow,
  encryption: Encryption,
): Promise<object> => ({
  ...(await withHooks(write, row)),
  env_vars: decryptVariables(row.env_vars, encryption),
})

/**
 * Returns the account that will own an application. The platform API prescribes the errors
 * (docs/reference/platform-api/applications.md).
 */
const resolveApplicationAccount = ({ trx }: WriteTransaction, actor: Actor, requested: string | null | undefined) => {
  const find = (account_sid: string) => selectAccount(trx, account_sid).executeTakeFirst()
  const missingMessage = actor.scope === 'admin' ? 'missing field account_sid' : "missing required field: 'account_sid'"
  return resolveAccount(actor, requested, find, { missingMessage, forbiddenCode: 'insufficient_privileges' })
}

const hookNames = ['call_hook', 'call_status_hook', 'messaging_hook'] as const
type Hooks = Pick<ApplicationChange, (typeof hookNames)[number]>
type HookSids = Partial<Record<`${(typeof hookNames)[number]}_sid`, string | null>>

/**
 * Saves webhooks and returns their sids. Rejects the sid of a webhook that does not belong to the application, because
 * it may belong to another tenant.
 */
const saveHooks = async (
  write: WriteTransaction,
  changes: Hooks,
  currentSids: HookSids,
  isNew: boolean,
): Promise<HookSids> => {
  const saved: HookSids = {}
  for (const name of hookNames) {
    const hook = changes[name]
    if (hook === undefined) continue
    const current = currentSids[`${name}_sid`] ?? null
    if (hook !== null) {
      const { webhook_sid } = hook
      if (!isNew && webhook_sid && webhook_sid !== current)
        throwInvalid(`${name} has another webhook_sid`, `${name}.webhook_sid`)
    }
    if (write.missingSchema.has(`applications.${name}_sid`)) {
      if (hook !== null) throwInvalid(`the platform has no ${name}`, name)
      continue
    }
    saved[`${name}_sid`] = (await saveHook(write, current, hook)).sid
  }
  return saved
}

/**
 * Returns the columns to store.
 * @param storedVerbs The present `app_json` of the application
 */
const toColumns = (
  {
    call_hook: _call,
    call_status_hook: _status,
    messaging_hook: _messaging,
    application_sid: _sid,
    account_sid: _account,
    app_json,
    env_vars,
    ...columns
  }: Omit<ApplicationChange, 'application_sid'> & { application_sid?: unknown },
  encryption: Encryption,
  storedVerbs: string | null = null,
) => ({
  ...columns,
  app_json: validateAppJson(app_json, storedVerbs),
  env_vars: encryptVariables(env_vars, encryption),
})

/** The name of the unique index differs between databases, so the error names the field explicitly. */
const withNameConflict = async <T>(saving: Promise<T>): Promise<T> => {
  try {
    return await saving
  } catch (error) {
    if (classifyDbError(error)?.fault !== 'duplicate') throw error
    return throwApiError('duplicate', { msg: 'Duplicate entry: name is already in use in this account', field: 'name' })
  }
}

export const createApplication = async (
  write: WriteTransaction,
  actor: Actor,
  input: NewApplication,
  encryption: Encryption,
): Promise<string> => {
  const owner = await resolveApplicationAccount(write, actor, input.account_sid)
  const { account_sid } = owner
  const columns = toColumns(input, encryption)
  const application_sid = randomUUID()
  const { name } = input
  const hooks = await saveHooks(write, input, {}, true)
  const values = { ...columns, ...hooks, name, account_sid, application_sid }
  await withNameConflict(write.trx.insertInto('applications').values(values).execute())
  const row = await selectRow(write, application_sid).executeTakeFirstOrThrow()
  const after = await toAuditRecord(write, row, encryption)
  write.record({ action: 'create', kind: 'application', sid: application_sid, owner, before: null, after })
  return application_sid
}

const checkUnused = async (
  { trx }: WriteTransaction,
  application_sid: string,
  action: 'delete' | 'move',
): Promise<void> => {
  const use = await findFirstUse(trx, applicationBlockers, application_sid)
  if (use) throwApiError('application_in_use', { msg: `cannot ${action} application ${use.reference.reason}` })
}

export const changeApplication = async (
  write: WriteTransaction,
  actor: Actor,
  application_sid: string,
  changes: ApplicationChange,
  encryption: Encryption,
): Promise<void> => {
  const { row, owner: current } = await lockApplication(write, actor, application_sid)
  const before = await toAuditRecord(write, row, encryption)
  const owner = changes.account_sid ? await resolveApplicationAccount(write, actor, changes.account_sid) : current
  const { account_sid } = owner
  // All resources that refer to an application must belong to the same account.
  if (account_sid !== row.account_sid) await checkUnused(write, application_sid, 'move')
  const columns = { ...toColumns(changes, encryption, row.app_json), account_sid }
  const hooks = await saveHooks(write, changes, row, false)
  const update = write.trx.updateTable('applications').set({ ...columns, ...hooks })
  await withNameConflict(update.where('application_sid', '=', application_sid).execute())
  await deleteUnusedHooks(write, getHookSids(row))
  const updatedRow = await selectRow(write, application_sid).executeTakeFirstOrThrow()
  const after = await toAuditRecord(write, updatedRow, encryption)
  write.record({ action: 'update', kind: 'application', sid: application_sid, owner, before, after })
}

const getHookSids = (row: ApplicationRow) => hookNames.map((name) => row[`${name}_sid`] ?? null)

/** Deletes an application with its webhooks. Rejects if it is in use. */
export const deleteApplication = async (
  write: WriteTransaction,
  actor: Actor,
  application_sid: string,
  encryption: Encryption,
): Promise<void> => {
  const { row, owner } = await lockApplication(write, actor, application_sid)
  const before = await toAuditRecord(write, row, encryption)
  await checkUnused(write, application_sid, 'delete')
  await write.trx.deleteFrom('applications').where('application_sid', '=', application_sid).execute()
  await deleteUnusedHooks(write, getHookSids(row))
  write.record({ action: 'delete', kind: 'application', sid: application_sid, owner, before, after: null })
}
