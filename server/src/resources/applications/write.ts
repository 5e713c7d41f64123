import { type Actor, can, type Owner } from '@patchbay/contract/access'
import type { ApplicationChange, ApplicationUses, NewApplication } from '@patchbay/contract/applications'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import { randomUUID } from 'node:crypto'
import { classifyDbError, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { deleteUnusedHooks, saveHook, withHooks } from '../shared/webhooks.ts'
import { checkedAppJson } from './app-json.ts'
import { firstUse } from './used-by.ts'
import { storedVariables, decryptVariables } from './variables.ts'

/** How applications are written (api/1-identity.md §11.4 to §11.8). */

const rowsOf = ({ trx }: WriteTransaction, application_sid: string) =>
  trx.selectFrom('applications').selectAll().where('application_sid', '=', application_sid)

type ApplicationRow = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

interface LockedApplication {
  row: ApplicationRow
  owner: Owner
}

/** One change of an application at a time; who has lost it since the request was let in changes nothing. */
const lockApplication = async (
  write: WriteTransaction,
  actor: Actor,
  application_sid: string,
): Promise<LockedApplication> => {
  const { trx, engine } = write
  const row =
    (await lockForUpdate(engine, rowsOf(write, application_sid)).executeTakeFirst()) ?? throwApiError('not_found')
  const owner = (row.account_sid === null ? undefined : await accountIn(trx, row.account_sid)) ?? row
  return can(actor, 'write', owner) ? { row, owner } : throwApiError('insufficient_permissions')
}

/** As the audit trail tells it, which hides every variable. */
const told = async (write: WriteTransaction, row: ApplicationRow, encryption: Encryption): Promise<object> => ({
  ...(await withHooks(write, row)),
  env_vars: decryptVariables(row.env_vars, encryption),
})

const accountIn = (trx: WriteTransaction['trx'], account_sid: string) =>
  trx
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid'])
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()

/** The account that an application is to be of: an account user's own, whatever is sent. */
const accountFor = async ({ trx }: WriteTransaction, actor: Actor, sent: string | null | undefined): Promise<Owner> => {
  if (actor.scope === 'account') return actor.account_sid === null ? throwApiError('insufficient_privileges') : actor
  if (!sent) {
    const missing = actor.scope === 'admin' ? 'missing field account_sid' : "missing required field: 'account_sid'"
    return throwInvalid(missing, 'account_sid')
  }
  const account = await accountIn(trx, sent)
  if (account !== undefined && can(actor, 'write', account)) return account
  return actor.scope === 'admin'
    ? throwInvalid('unknown account_sid', 'account_sid')
    : throwApiError('insufficient_privileges')
}

const hookNames = ['call_hook', 'call_status_hook', 'messaging_hook'] as const
type Hooks = Pick<ApplicationChange, (typeof hookNames)[number]>
type HookSids = Partial<Record<`${(typeof hookNames)[number]}_sid`, string | null>>

/** Answers the sids to store. A hook is the application's own: the sid of any other would reach across the walls. */
const saveHooks = async (write: WriteTransaction, sent: Hooks, now: HookSids, isNew: boolean): Promise<HookSids> => {
  const saved: HookSids = {}
  for (const name of hookNames) {
    const hook = sent[name]
    if (hook === undefined) continue
    const current = now[`${name}_sid`] ?? null
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

/** The columns that are stored as they are sent, or made of one member. */
const columnsOf = (
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
) => ({ ...columns, app_json: checkedAppJson(app_json), env_vars: storedVariables(env_vars, encryption) })

/** Databases call the index of account and name by names of their own. */
const named = async <T>(saving: Promise<T>): Promise<T> => {
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
  sent: NewApplication,
  encryption: Encryption,
): Promise<string> => {
  const owner = await accountFor(write, actor, sent.account_sid)
  const { account_sid } = owner
  const columns = columnsOf(sent, encryption)
  const application_sid = randomUUID()
  const { name } = sent
  const hooks = await saveHooks(write, sent, {}, true)
  const values = { ...columns, ...hooks, name, account_sid, application_sid }
  await named(write.trx.insertInto('applications').values(values).execute())
  const row = await rowsOf(write, application_sid).executeTakeFirstOrThrow()
  const after = await told(write, row, encryption)
  write.record({ action: 'create', kind: 'application', sid: application_sid, owner, before: null, after })
  return application_sid
}

const reasons: Readonly<Record<keyof ApplicationUses, string>> = {
  phone_numbers: 'with phone numbers',
  device_calling_accounts: 'that an account uses for device calling',
  siprec_accounts: 'that an account uses for SIPREC',
  ms_teams_tenants: 'that a Microsoft Teams tenant uses',
  voip_carriers: 'that a carrier uses',
  call_routes: 'that a call route uses',
}

const checkUnused = async (
  { trx }: WriteTransaction,
  application_sid: string,
  act: 'delete' | 'move',
): Promise<void> => {
  const kind = await firstUse(trx, application_sid)
  if (kind) throwApiError('application_in_use', { msg: `cannot ${act} application ${reasons[kind]}` })
}

export const changeApplication = async (
  write: WriteTransaction,
  actor: Actor,
  application_sid: string,
  sent: ApplicationChange,
  encryption: Encryption,
): Promise<void> => {
  const { row, owner: current } = await lockApplication(write, actor, application_sid)
  const before = await told(write, row, encryption)
  const owner = sent.account_sid ? await accountFor(write, actor, sent.account_sid) : current
  const { account_sid } = owner
  // What leads to it must be of the same account.
  if (account_sid !== row.account_sid) await checkUnused(write, application_sid, 'move')
  const columns = { ...columnsOf(sent, encryption), account_sid }
  const hooks = await saveHooks(write, sent, row, false)
  const changes = write.trx.updateTable('applications').set({ ...columns, ...hooks })
  await named(changes.where('application_sid', '=', application_sid).execute())
  await deleteUnusedHooks(write, hookSidsOf(row))
  const now = await rowsOf(write, application_sid).executeTakeFirstOrThrow()
  const after = await told(write, now, encryption)
  write.record({ action: 'update', kind: 'application', sid: application_sid, owner, before, after })
}

const hookSidsOf = (row: ApplicationRow) => hookNames.map((name) => row[`${name}_sid`] ?? null)

/** With its hooks; or, while something uses it, nothing at all. */
export const deleteApplication = async (
  write: WriteTransaction,
  actor: Actor,
  application_sid: string,
  encryption: Encryption,
): Promise<void> => {
  const { row, owner } = await lockApplication(write, actor, application_sid)
  const before = await told(write, row, encryption)
  await checkUnused(write, application_sid, 'delete')
  await write.trx.deleteFrom('applications').where('application_sid', '=', application_sid).execute()
  await deleteUnusedHooks(write, hookSidsOf(row))
  write.record({ action: 'delete', kind: 'application', sid: application_sid, owner, before, after: null })
}
