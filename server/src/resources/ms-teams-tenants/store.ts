import { randomUUID } from 'node:crypto'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import {
  type MsTeamsTenant,
  type MsTeamsTenantChange,
  msTeamsTenant,
  type NewMsTeamsTenant,
} from '@patchbay/contract/ms-teams-tenants'
import type { Kysely } from 'kysely'
import { lockOwnedRow } from '../../auth/owner-lookup.ts'
import { type OwnerInput, resolveOwner } from '../../auth/resolve-owner.ts'
import { preparedByAccount } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkApplication } from '../shared/check-application.ts'

/** SQL of Microsoft Teams tenants (docs/reference/platform-api/numbers-and-clients.md#microsoft-teams-tenants). */

/** Columns with the same names as in the API. */
const columns = msTeamsTenant.keyof().options.map((column) => `ms_teams_tenants.${column}` as const)

/** Selects tenants with their accounts, which determine the owners. */
const selectTenants = (db: Kysely<Tables>) =>
  db.selectFrom('ms_teams_tenants').innerJoin('accounts', 'accounts.account_sid', 'ms_teams_tenants.account_sid')

const selectApplications = (db: Kysely<Tables>) =>
  selectTenants(db)
    .innerJoin('applications', 'applications.application_sid', 'ms_teams_tenants.application_sid')
    .select(['applications.application_sid', 'applications.name'])
    .distinct()

export const createMsTeamsTenantStore = ({ db, reader }: Database) => {
  const one = prepared(db, (sid: string) => selectTenants(db).select(columns).where('ms_teams_tenant_sid', '=', sid))
  return {
    list: preparedByAccount(reader, () => selectTenants(reader).select(columns).orderBy('tenant_fqdn')),
    /** Returns each application that handles calls of a visible tenant, without duplicates. */
    applications: preparedByAccount(reader, () => selectApplications(reader)),
    read: async (ms_teams_tenant_sid: string): Promise<MsTeamsTenant | undefined> =>
      (await one(ms_teams_tenant_sid))[0],
  }
}

/** Returns the owner of a tenant, which is always an account. */
const resolveAccount = async ({ trx }: WriteTransaction, actor: Actor, requested: OwnerInput, current?: Owner) => {
  const { account_sid, service_provider_sid } = await resolveOwner(trx, actor, requested, current)
  return account_sid === null || service_provider_sid === null
    ? throwInvalid('unknown account_sid', 'account_sid')
    : { account_sid, service_provider_sid }
}

export const createMsTeamsTenant = async (
  write: WriteTransaction,
  actor: Actor,
  input: NewMsTeamsTenant,
): Promise<string> => {
  const newOwner = await resolveAccount(write, actor, input)
  const application_sid = input.application_sid || null
  await checkApplication(write, application_sid, newOwner.account_sid)
  const { tenant_fqdn } = input
  const sid = randomUUID()
  const after = { ms_teams_tenant_sid: sid, ...newOwner, tenant_fqdn, application_sid }
  await write.trx.insertInto('ms_teams_tenants').values(after).execute()
  write.record({ action: 'create', kind: 'ms_teams_tenant', sid, name: tenant_fqdn, before: null, after })
  return sid
}

const lockTenant = async (write: WriteTransaction, actor: Actor, sid: string): Promise<MsTeamsTenant> => {
  const rows = write.trx.selectFrom('ms_teams_tenants').select(columns).where('ms_teams_tenant_sid', '=', sid)
  return (await lockOwnedRow(write, actor, { kind: 'ms_teams_tenant', sid, rows }, 'not_found')).row
}

export const changeMsTeamsTenant = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  changes: MsTeamsTenantChange,
): Promise<void> => {
  const before = await lockTenant(write, actor, sid)
  const newOwner = await resolveAccount(write, actor, changes, before)
  const application_sid =
    changes.application_sid === undefined ? before.application_sid : changes.application_sid || null
  if (changes.application_sid || newOwner.account_sid !== before.account_sid)
    await checkApplication(write, application_sid, newOwner.account_sid)
  const { tenant_fqdn = before.tenant_fqdn } = changes
  const newValues = { ...newOwner, tenant_fqdn, application_sid }
  await write.trx.updateTable('ms_teams_tenants').set(newValues).where('ms_teams_tenant_sid', '=', sid).execute()
  const after = { ...before, ...newValues }
  write.record({ action: 'update', kind: 'ms_teams_tenant', sid, name: tenant_fqdn, before, after })
}

export const deleteMsTeamsTenant = async (write: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const before = await lockTenant(write, actor, sid)
  await write.trx.deleteFrom('ms_teams_tenants').where('ms_teams_tenant_sid', '=', sid).execute()
  const { tenant_fqdn: name, account_sid } = before
  const owner = { account_sid, service_provider_sid: null }
  write.record({ action: 'delete', kind: 'ms_teams_tenant', sid, name, owner, before, after: null })
}
