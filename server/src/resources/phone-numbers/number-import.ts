import { randomUUID } from 'node:crypto'
import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { type ImportContext, numbersToFind, planImport, rejectUnconfirmed } from '@patchbay/rules/phone-number/import'
import type { NumberRow, RowPlan } from '@patchbay/rules/phone-number/import-rows'
import { validateInternationalLength } from '@patchbay/rules/phone-number/number-lengths'
import type { Kysely } from 'kysely'
import { ownedCarriers, ownedNumbers, toOwner } from '../../auth/owner-lookup.ts'
import { assertCanChangeCarriers } from '../../auth/permissions.ts'
import type { Configuration } from '../../config/configuration.ts'
import { insertIgnoringDuplicates, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { isOfProvider, selectUsableCarriers } from './number-lists.ts'
import { lockNumbers } from './number-routing.ts'

/** Import of phone numbers from rows of a file. The resources that the rows name are looked up once for all rows. */

type Db = Kysely<Tables>

/** Returns the provider of an import. Only admins can choose it. */
export const resolveProvider = (actor: Actor, requested: { service_provider_sid?: string | undefined }): string =>
  (actor.scope === 'admin' ? requested.service_provider_sid : actor.service_provider_sid) ??
  throwInvalid('service_provider_sid missing', 'service_provider_sid')

const collectValues = (rows: readonly NumberRow[], column: 'carrier' | 'account' | 'application'): string[] => [
  ...new Set(rows.map((row) => row[column]?.trim() ?? '').filter(Boolean)),
]

/** A list with a value that matches nothing, because an empty IN list is not valid SQL. */
const unmatchable = ['\0']
const toInList = (values: readonly string[]): readonly string[] => (values.length > 0 ? values : unmatchable)

const findAccounts = (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const values = toInList(collectValues(rows, 'account'))
  return db
    .selectFrom('accounts')
    .select(['account_sid as sid', 'name'])
    .where('service_provider_sid', '=', provider)
    .where((where) => where.or([where('account_sid', 'in', values), where('name', 'in', values)]))
    .$if(actor.scope === 'account', (own) => own.where('account_sid', '=', actor.account_sid ?? ''))
    .execute()
}

const findApplications = (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const values = toInList(collectValues(rows, 'application'))
  return db
    .selectFrom('applications')
    .innerJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .select(['applications.application_sid as sid', 'applications.name', 'applications.account_sid'])
    .where('accounts.service_provider_sid', '=', provider)
    .where((where) =>
      where.or([where('applications.application_sid', 'in', values), where('applications.name', 'in', values)]),
    )
    .$if(actor.scope === 'account', (own) => own.where('accounts.account_sid', '=', actor.account_sid ?? ''))
    .execute()
}

/** Finds the provider's numbers that occur in the rows, and all numbers on its carriers, regardless of their owner. */
const findNumbers = async (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const storedNumbers = numbersToFind(rows)
  const rowsOfNumbers = await ownedNumbers(db)
    .select(['phone_numbers.phone_number_sid', 'phone_numbers.number', 'phone_numbers.voip_carrier_sid'])
    .select('phone_numbers.application_sid')
    .where('phone_numbers.number', 'in', storedNumbers)
    .where((where) =>
      where(
        'phone_numbers.phone_number_sid',
        'in',
        where
          .selectFrom('phone_numbers')
          .select('phone_number_sid')
          .where('number', 'in', storedNumbers)
          .where((own) =>
            own.or([isOfProvider(own, provider), own('voip_carrier_sid', 'in', selectUsableCarriers(own, provider))]),
          ),
      ),
    )
    .execute()
  return rowsOfNumbers.map(({ provider_of_account, own_provider, ...number }) => {
    const owner = toOwner({ account_sid: number.account_sid, provider_of_account, own_provider })
    return { ...number, isOwn: owner.service_provider_sid === provider && can(actor, 'write', owner) }
  })
}

/**
 * Finds the carriers that the caller may name: those of the provider, restricted for an account to its own and the
 * shared ones.
 */
const findCarriers = async (
  db: Db,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
  used: readonly (string | null)[],
) => {
  const values = toInList(collectValues(rows, 'carrier'))
  const sids = [...values, ...new Set(used.filter((sid) => sid !== null))]
  const carriers = await ownedCarriers(db)
    .select(['voip_carriers.voip_carrier_sid as sid', 'voip_carriers.name'])
    .where((where) =>
      where.or([where('voip_carriers.voip_carrier_sid', 'in', sids), where('voip_carriers.name', 'in', values)]),
    )
    .where(
      ({ fn }) => fn.coalesce('accounts.service_provider_sid', 'voip_carriers.service_provider_sid'),
      '=',
      provider,
    )
    .execute()
  return carriers
    .map(({ sid, name, account_sid }) => ({ sid, name, account_sid }))
    .filter(({ account_sid }) => actor.scope !== 'account' || account_sid === null || account_sid === actor.account_sid)
}

const loadExistingData = async (
  db: Db,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
): Promise<ImportContext> => {
  const numbers = await findNumbers(db, actor, provider, rows)
  const used = numbers.filter(({ isOwn }) => isOwn).map(({ voip_carrier_sid }) => voip_carrier_sid)
  return {
    numbers,
    accounts: await findAccounts(db, actor, provider, rows),
    carriers: await findCarriers(db, actor, provider, rows, used),
    applications: await findApplications(db, actor, provider, rows),
    validateLength: validateInternationalLength,
    ownAccount: actor.scope === 'account' ? actor.account_sid : null,
  }
}

/** Returns the planned change for each row. */
export const toRowPlans = async (
  db: Db,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
): Promise<RowPlan[]> => planImport(rows, await loadExistingData(db, actor, provider, rows))

type PlanWith<Is extends RowPlan['is']> = Extract<RowPlan, { is: Is }>
type ChangedPlan = PlanWith<'changed' | 'unchanged'>

const takenPlan: RowPlan = { is: 'wrong', column: 'number', why: 'The number already exists on this carrier' }
const concurrentChangePlan: RowPlan = {
  is: 'wrong',
  column: 'number',
  why: 'Another user changed this number in the meantime',
}

type RoutedPlan = PlanWith<'new' | 'changed'>

const movedApplicationPlan: RowPlan = {
  is: 'wrong',
  column: 'application',
  why: 'Another user moved this application in the meantime',
}

/**
 * Locks the applications to which numbers will be routed. Returns the plans whose application has moved to another
 * account in the meantime.
 */
const findMovedApplications = async (
  { trx, engine }: WriteTransaction,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const routedPlans = plans.filter(
    (plan): plan is RoutedPlan => (plan.is === 'new' || plan.is === 'changed') && plan.application_sid !== null,
  )
  const sids = [...new Set(routedPlans.map(({ application_sid }) => application_sid ?? ''))]
  if (sids.length === 0) return new Set()
  const rows = trx.selectFrom('applications').select(['application_sid', 'account_sid'])
  const currentRows = await lockForUpdate(
    engine,
    rows.where('application_sid', 'in', sids).orderBy('application_sid'),
  ).execute()
  const accounts = new Map(currentRows.map(({ application_sid, account_sid }) => [application_sid, account_sid]))
  return new Set(routedPlans.filter((plan) => accounts.get(plan.application_sid ?? '') !== plan.account_sid))
}

/** Inserts new numbers. Returns the plans whose number another request has inserted in the meantime. */
const insertNewNumbers = async (
  write: WriteTransaction,
  service_provider_sid: string,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const planByNumber = new Map<PhoneNumber, RowPlan>()
  for (const plan of plans)
    if (plan.is === 'new') {
      const { is: _is, is_pattern: _isPattern, ...routed } = plan
      planByNumber.set({ phone_number_sid: randomUUID(), ...routed, service_provider_sid: null }, plan)
    }
  if (planByNumber.size === 0) return new Set()
  const added = new Set(
    await insertIgnoringDuplicates(
      write.trx,
      write.engine,
      'phone_numbers',
      [...planByNumber.keys()].map((row) => ({ ...row })),
    ),
  )
  const addedSids = new Set([...added].map(({ phone_number_sid }) => phone_number_sid))
  const conflicting = new Set<RowPlan>()
  for (const [after, plan] of planByNumber) {
    const { phone_number_sid: sid, number: name, account_sid } = after
    const owner: Owner = { account_sid, service_provider_sid }
    if (addedSids.has(sid))
      write.record({ action: 'create', kind: 'phone_number', sid, name, owner, before: null, after })
    else conflicting.add(plan)
  }
  return conflicting
}

/** Changes numbers. Returns the plans whose number another request has changed or removed in the meantime. */
const changeExisting = async (
  write: WriteTransaction,
  actor: Actor,
  service_provider_sid: string,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const changedPlans = plans.filter((plan): plan is ChangedPlan => plan.is === 'changed')
  const lockedNumbers = await lockNumbers(
    write,
    changedPlans.map(({ phone_number_sid }) => phone_number_sid),
  )
  const conflicting = new Set<RowPlan>()
  const groups = new Map<string, { set: Pick<PhoneNumber, 'account_sid' | 'application_sid'>; sids: string[] }>()
  for (const plan of changedPlans) {
    const { phone_number_sid: sid, account_sid, application_sid } = plan
    const current = lockedNumbers.get(sid)
    if (current === undefined || !can(actor, 'write', current.owner)) {
      conflicting.add(plan)
      continue
    }
    const key = `${account_sid} ${application_sid ?? ''}`
    const group = groups.get(key) ?? { set: { account_sid, application_sid }, sids: [] }
    groups.set(key, group)
    group.sids.push(sid)
    const { row: before } = current
    const owner: Owner = { account_sid, service_provider_sid }
    const after = { ...before, account_sid, application_sid }
    write.record({ action: 'update', kind: 'phone_number', sid, name: before.number, owner, before, after })
  }
  for (const { set, sids } of groups.values())
    await write.trx.updateTable('phone_numbers').set(set).where('phone_number_sid', 'in', sids).execute()
  return conflicting
}

/** Executes the plans of the rows. Returns the result for each row. */
export const importNumbers = async (
  write: WriteTransaction,
  configuration: Configuration,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
): Promise<RowPlan[]> => {
  const planned = rejectUnconfirmed(rows, await toRowPlans(write.trx, actor, provider, rows))
  const movedPlans = await findMovedApplications(write, planned)
  const plans = planned.map((plan) => (movedPlans.has(plan) ? movedApplicationPlan : plan))
  const addedCount = plans.filter(({ is }) => is === 'new').length
  if (addedCount > 0) assertCanChangeCarriers(configuration, actor)
  await checkCreateLimit(write, configuration, actor, 'phone_numbers', addedCount)
  const conflictingInserts = await insertNewNumbers(write, provider, plans)
  const conflictingChanges = await changeExisting(write, actor, provider, plans)
  return plans.map((plan) =>
    conflictingInserts.has(plan) ? takenPlan : conflictingChanges.has(plan) ? concurrentChangePlan : plan,
  )
}
