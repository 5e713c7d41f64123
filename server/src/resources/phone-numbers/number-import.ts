import { type Actor, can, type Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { PhoneNumber } from '@patchbay/contract/phone-numbers'
import { type ImportContext, type NumberRow, planImport, type RowPlan } from '@patchbay/contract/phone-number/import'
import { toStoredNumber } from '@patchbay/contract/phone-number/patterns'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Configuration } from '../../config/configuration.ts'
import { lockForUpdate, insertIgnoringDuplicates } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { assertCanChangeCarriers } from '../../auth/can-change-carriers.ts'
import { ownedCarriers, ownedNumbers, toOwner } from '../../auth/owner-lookup.ts'
import { lockNumbers } from './number-routing.ts'
import { selectUsableCarriers, isOfProvider } from './store.ts'

/** How rows of a file become phone numbers: what they speak of is looked up once for all of them. */

type Db = Kysely<Tables>

/** An account's and a provider's are their own. */
export const providerIn = (actor: Actor, asked: { service_provider_sid?: string | undefined }): string =>
  (actor.scope === 'admin' ? asked.service_provider_sid : actor.service_provider_sid) ??
  throwInvalid('service_provider_sid missing', 'service_provider_sid')

const mentioned = (rows: readonly NumberRow[], column: 'carrier' | 'account' | 'application'): string[] => [
  ...new Set(rows.map((row) => row[column]?.trim() ?? '').filter(Boolean)),
]

/** No value is like this one. */
const none = ['\0']
const orNone = (texts: readonly string[]): readonly string[] => (texts.length > 0 ? texts : none)

const accountsIn = (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const texts = orNone(mentioned(rows, 'account'))
  return db
    .selectFrom('accounts')
    .select(['account_sid as sid', 'name'])
    .where('service_provider_sid', '=', provider)
    .where((where) => where.or([where('account_sid', 'in', texts), where('name', 'in', texts)]))
    .$if(actor.scope === 'account', (own) => own.where('account_sid', '=', actor.account_sid ?? ''))
    .execute()
}

const applicationsIn = (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const texts = orNone(mentioned(rows, 'application'))
  return db
    .selectFrom('applications')
    .innerJoin('accounts', 'accounts.account_sid', 'applications.account_sid')
    .select(['applications.application_sid as sid', 'applications.name', 'applications.account_sid'])
    .where('accounts.service_provider_sid', '=', provider)
    .where((where) =>
      where.or([where('applications.application_sid', 'in', texts), where('applications.name', 'in', texts)]),
    )
    .$if(actor.scope === 'account', (own) => own.where('accounts.account_sid', '=', actor.account_sid ?? ''))
    .execute()
}

/** The provider's numbers of these texts, and those that stand on its carriers, whosever they are. */
const numbersIn = async (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]) => {
  const texts = [...new Set(rows.map(({ number }) => toStoredNumber(number)))]
  const found = await ownedNumbers(db)
    .select(['phone_numbers.phone_number_sid', 'phone_numbers.number', 'phone_numbers.voip_carrier_sid'])
    .select('phone_numbers.application_sid')
    .where('phone_numbers.number', 'in', texts)
    .where((where) =>
      where(
        'phone_numbers.phone_number_sid',
        'in',
        where
          .selectFrom('phone_numbers')
          .select('phone_number_sid')
          .where('number', 'in', texts)
          .where((own) =>
            own.or([isOfProvider(own, provider), own('voip_carrier_sid', 'in', selectUsableCarriers(own, provider))]),
          ),
      ),
    )
    .execute()
  return found.map(({ provider_of_account, own_provider, ...number }) => {
    const owner = toOwner({ account_sid: number.account_sid, provider_of_account, own_provider })
    return { ...number, isOwn: owner.service_provider_sid === provider && can(actor, 'write', owner) }
  })
}

/** Those that the caller may name: of the provider, and to an account its own and those of no account. */
const carriersIn = async (
  db: Db,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
  used: readonly (string | null)[],
) => {
  const texts = orNone(mentioned(rows, 'carrier'))
  const sids = [...texts, ...new Set(used.filter((sid) => sid !== null))]
  const found = await ownedCarriers(db)
    .select(['voip_carriers.voip_carrier_sid as sid', 'voip_carriers.name'])
    .where((where) =>
      where.or([where('voip_carriers.voip_carrier_sid', 'in', sids), where('voip_carriers.name', 'in', texts)]),
    )
    .where(
      ({ fn }) => fn.coalesce('accounts.service_provider_sid', 'voip_carriers.service_provider_sid'),
      '=',
      provider,
    )
    .execute()
  return found
    .map(({ sid, name, account_sid }) => ({ sid, name, account_sid }))
    .filter(({ account_sid }) => actor.scope !== 'account' || account_sid === null || account_sid === actor.account_sid)
}

const knownFor = async (db: Db, actor: Actor, provider: string, rows: readonly NumberRow[]): Promise<ImportContext> => {
  const numbers = await numbersIn(db, actor, provider, rows)
  const used = numbers.filter(({ isOwn }) => isOwn).map(({ voip_carrier_sid }) => voip_carrier_sid)
  return {
    numbers,
    accounts: await accountsIn(db, actor, provider, rows),
    carriers: await carriersIn(db, actor, provider, rows, used),
    applications: await applicationsIn(db, actor, provider, rows),
    ownAccount: actor.scope === 'account' ? actor.account_sid : null,
  }
}

/** What would become of each row. */
export const toRowPlans = async (
  db: Db,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
): Promise<RowPlan[]> => planImport(rows, await knownFor(db, actor, provider, rows))

type PlanOf<Is extends RowPlan['is']> = Extract<RowPlan, { is: Is }>
type ChangedPlan = PlanOf<'changed' | 'unchanged'>

const taken: RowPlan = { is: 'wrong', column: 'number', why: 'The number is taken on this carrier' }
const meanwhile: RowPlan = { is: 'wrong', column: 'number', why: 'Somebody has changed this number meanwhile' }

type RoutedPlan = PlanOf<'new' | 'changed'>

const moved: RowPlan = { is: 'wrong', column: 'application', why: 'Somebody has moved this application meanwhile' }

/** The applications stay of their accounts until numbers lead to them; answers the plans that are too late for that. */
const ofMovedApplications = async (
  { trx, engine }: WriteTransaction,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const leading = plans.filter(
    (plan): plan is RoutedPlan => (plan.is === 'new' || plan.is === 'changed') && plan.application_sid !== null,
  )
  const sids = [...new Set(leading.map(({ application_sid }) => application_sid ?? ''))]
  if (sids.length === 0) return new Set()
  const rows = trx.selectFrom('applications').select(['application_sid', 'account_sid'])
  const stand = await lockForUpdate(
    engine,
    rows.where('application_sid', 'in', sids).orderBy('application_sid'),
  ).execute()
  const accounts = new Map(stand.map(({ application_sid, account_sid }) => [application_sid, account_sid]))
  return new Set(leading.filter((plan) => accounts.get(plan.application_sid ?? '') !== plan.account_sid))
}

/** Adds the new ones, and answers those that somebody else has added meanwhile. */
const addNew = async (
  write: WriteTransaction,
  service_provider_sid: string,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const made = new Map<PhoneNumber, RowPlan>()
  for (const plan of plans)
    if (plan.is === 'new') {
      const { is: _is, ...routed } = plan
      made.set({ phone_number_sid: randomUUID(), ...routed, service_provider_sid: null }, plan)
    }
  if (made.size === 0) return new Set()
  const added = new Set(
    await insertIgnoringDuplicates(
      write.trx,
      write.engine,
      'phone_numbers',
      [...made.keys()].map((row) => ({ ...row })),
    ),
  )
  const addedSids = new Set([...added].map(({ phone_number_sid }) => phone_number_sid))
  const late = new Set<RowPlan>()
  for (const [after, plan] of made) {
    const { phone_number_sid: sid, number: name, account_sid } = after
    const owner: Owner = { account_sid, service_provider_sid }
    if (addedSids.has(sid))
      write.record({ action: 'create', kind: 'phone_number', sid, name, owner, before: null, after })
    else late.add(plan)
  }
  return late
}

/** Changes those that still are as they were found, and answers the others. */
const changeKnown = async (
  write: WriteTransaction,
  actor: Actor,
  service_provider_sid: string,
  plans: readonly RowPlan[],
): Promise<Set<RowPlan>> => {
  const wanted = plans.filter((plan): plan is ChangedPlan => plan.is === 'changed')
  const found = await lockNumbers(
    write,
    wanted.map(({ phone_number_sid }) => phone_number_sid),
  )
  const late = new Set<RowPlan>()
  const together = new Map<string, { set: Pick<PhoneNumber, 'account_sid' | 'application_sid'>; sids: string[] }>()
  for (const plan of wanted) {
    const { phone_number_sid: sid, account_sid, application_sid } = plan
    const now = found.get(sid)
    if (now === undefined || !can(actor, 'write', now.owner)) {
      late.add(plan)
      continue
    }
    const key = `${account_sid} ${application_sid ?? ''}`
    const group = together.get(key) ?? { set: { account_sid, application_sid }, sids: [] }
    together.set(key, group)
    group.sids.push(sid)
    const { row: before } = now
    const owner: Owner = { account_sid, service_provider_sid }
    const after = { ...before, account_sid, application_sid }
    write.record({ action: 'update', kind: 'phone_number', sid, name: before.number, owner, before, after })
  }
  for (const { set, sids } of together.values())
    await write.trx.updateTable('phone_numbers').set(set).where('phone_number_sid', 'in', sids).execute()
  return late
}

/** Makes of the rows what their plans say, and answers what became of each. */
export const importNumbers = async (
  write: WriteTransaction,
  configuration: Configuration,
  actor: Actor,
  provider: string,
  rows: readonly NumberRow[],
): Promise<RowPlan[]> => {
  const planned = await toRowPlans(write.trx, actor, provider, rows)
  const late = await ofMovedApplications(write, planned)
  const plans = planned.map((plan) => (late.has(plan) ? moved : plan))
  const adding = plans.filter(({ is }) => is === 'new').length
  if (adding > 0) assertCanChangeCarriers(configuration, actor)
  await checkCreateLimit(write, configuration, actor, 'phone_numbers', adding)
  const tooLate = await addNew(write, provider, plans)
  const lost = await changeKnown(write, actor, provider, plans)
  return plans.map((plan) => (tooLate.has(plan) ? taken : lost.has(plan) ? meanwhile : plan))
}
