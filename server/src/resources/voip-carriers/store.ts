import { randomUUID } from 'node:crypto'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { ListPage } from '@patchbay/contract/api/list-pages'
import { getBlockers } from '@patchbay/contract/api/record-tables'
import {
  type NewVoipCarrier,
  type RegisterStatus,
  registerStatus,
  type VoipCarrier,
  type VoipCarrierChange,
} from '@patchbay/contract/voip-carriers'
import { voipCarrierTable } from '@patchbay/contract/voip-carriers/record'
import { maskPassword } from '@patchbay/rules/masking/masking'
import { validateRegistration } from '@patchbay/rules/routing/gateways'
import { lockOwnedRow } from '../../auth/owner-lookup.ts'
import { type Database, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkApplication } from '../shared/check-application.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import { readList, toLikePattern, toPage } from '../shared/list-pages.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'
import { omitMissing } from '../shared/missing-columns.ts'
import { findFirstUse } from '../shared/references.ts'
import { parseRegisterStatus } from '../shared/register-status.ts'
import { createCarrierLists, isUsedBy, type StoredCarrier, selectCarriers } from './carrier-lists.ts'

/** SQL of carriers (docs/reference/platform-api/carriers.md#carrier-object). */

const secrets = ['register_password', 'inbound_auth_password', 'smpp_password', 'smpp_inbound_password'] as const

/** Returns the valid members: after a network error, the reason is an object, but the status still counts. */
const parseStatus = (stored: string | null): RegisterStatus => {
  if (stored === null) return {}
  const report = parseRegisterStatus(stored)
  const all = registerStatus.safeParse(report)
  if (all.success) return all.data
  const members = Object.entries(registerStatus.shape).flatMap(([name, schema]) => {
    const member = schema.safeParse(report[name as keyof RegisterStatus])
    return member.success ? [[name, member.data] as const] : []
  })
  return Object.fromEntries(members)
}

const maskOptional = (secret: string | null): string | null => secret && maskPassword(secret)

const toVoipCarrier = (row: StoredCarrier): VoipCarrier => ({
  ...row,
  register_password: maskOptional(row.register_password),
  inbound_auth_password: maskOptional(row.inbound_auth_password),
  smpp_password: maskOptional(row.smpp_password),
  smpp_inbound_password: maskOptional(row.smpp_inbound_password),
  register_status: parseStatus(row.register_status),
})

/** Filters of a list, in addition to the actor's access. */
interface CarrierSearch {
  service_provider_sid?: string | undefined
  /** Restricts the list to carriers that this account may use. */
  account_sid?: string | undefined
  /** Restricts the list further to carriers that belong to this account. */
  owned?: 'true' | undefined
  /** Part of the name. */
  name?: string | undefined
}

export const createVoipCarrierStore = (database: Database, missingSchema: ReadonlySet<string>) => {
  const { db } = database
  const whole = createCarrierLists(database, missingSchema, false)
  const searched = createCarrierLists(database, missingSchema, true)
  const ofAccount = prepared(db, (account: string) =>
    selectCarriers(db, missingSchema)
      .where('voip_carriers.account_sid', '=', account)
      .orderBy('voip_carriers.name')
      .orderBy('voip_carriers.voip_carrier_sid'),
  )
  const one = prepared(db, (sid: string) =>
    selectCarriers(db, missingSchema).where('voip_carriers.voip_carrier_sid', '=', sid),
  )

  const listFor = (actor: Actor, search: CarrierSearch) => {
    const lists = search.name ? searched : whole
    const own = actor.scope === 'account' ? (actor.account_sid ?? '') : undefined
    const provider =
      actor.scope === 'service_provider' ? (actor.service_provider_sid ?? '') : search.service_provider_sid
    const account = own ?? (search.account_sid || undefined)
    if (provider === undefined)
      return account === undefined
        ? { queries: lists.all, provider: '', account: '' }
        : { queries: lists.usedBy, provider: '', account }
    if (search.owned && account !== undefined) return { queries: lists.ownedBy, provider, account }
    return account === undefined
      ? { queries: lists.ofProvider, provider, account: '' }
      : { queries: lists.ofProviderUsedBy, provider, account }
  }

  return {
    list: (actor: Actor, search: CarrierSearch, page: ListPage | undefined) => {
      const { queries, provider, account } = listFor(actor, search)
      return readList(queries, [provider, account, toLikePattern(search.name)], page, toVoipCarrier)
    },
    /** Lists those of some carriers that a search finds. The caller has checked the access to them. */
    listSome: async (
      sids: readonly string[],
      { account_sid, owned, name }: CarrierSearch,
      page: ListPage | undefined,
    ) => {
      const rows =
        sids.length === 0
          ? []
          : await selectCarriers(database.reader, missingSchema)
              .where('voip_carriers.voip_carrier_sid', 'in', sids)
              .where(like('voip_carriers.name', toLikePattern(name)))
              .$if(Boolean(account_sid), (query) =>
                owned
                  ? query.where('voip_carriers.account_sid', '=', account_sid ?? '')
                  : query.where((where) => isUsedBy(where, account_sid ?? '')),
              )
              .orderBy('voip_carriers.name')
              .orderBy('voip_carriers.voip_carrier_sid')
              .execute()
      return toPage(rows, page, toVoipCarrier)
    },
    ofAccount: async (account_sid: string): Promise<VoipCarrier[]> => (await ofAccount(account_sid)).map(toVoipCarrier),
    read: async (voip_carrier_sid: string): Promise<VoipCarrier | undefined> => {
      const [row] = await one(voip_carrier_sid)
      return row && toVoipCarrier(row)
    },
  }
}

type Settings = Omit<VoipCarrierChange, 'account_sid' | 'service_provider_sid'>

/** Returns the settings to store. An empty application means no application. */
const toSettings = ({
  register_status: _status,
  created_at: _created,
  account_sid: _account,
  service_provider_sid: _provider,
  application_sid,
  ...settings
}: VoipCarrierChange & Pick<Partial<NewVoipCarrier>, 'register_status' | 'created_at'>): Settings => ({
  ...settings,
  ...(application_sid === undefined ? {} : { application_sid: application_sid || null }),
})

export const createVoipCarrier = async (
  write: WriteTransaction,
  carrier: NewVoipCarrier,
  owner: Owner,
): Promise<string> => {
  const { trx } = write
  const { name } = carrier
  const settings = toSettings(carrier)
  await checkApplication(write, settings.application_sid, owner.account_sid)
  checkRegistration(settings, undefined)
  for (const secret of secrets) if (settings[secret]) isUnchangedMask(settings[secret], null, secret, maskPassword)
  const voip_carrier_sid = randomUUID()
  const after = { ...settings, ...owner, name, voip_carrier_sid }
  await trx
    .insertInto('voip_carriers')
    .values(omitMissing(write, 'voip_carriers', after))
    .execute()
  write.record({ action: 'create', kind: 'voip_carrier', sid: voip_carrier_sid, before: null, after })
  return voip_carrier_sid
}

type LockedCarrier = Awaited<ReturnType<typeof lockCarrier>>

/** Locks a carrier for a change. Rejects if the actor has lost access since the request was authorized. */
export const lockCarrier = async (write: WriteTransaction, actor: Actor, sid: string) => {
  const rows = write.trx.selectFrom('voip_carriers').selectAll().where('voip_carrier_sid', '=', sid)
  return (await lockOwnedRow(write, actor, { kind: 'voip_carrier', sid, rows }, 'carrier_not_owned')).row
}

const registration = ['requires_register', 'register_username', 'register_password', 'register_sip_realm'] as const

/**
 * Validates the registration settings only if the request contains any of them, because other components may have
 * stored invalid ones.
 */
const checkRegistration = (changes: Settings, current: LockedCarrier | undefined): void => {
  const { register_from_domain } = changes
  if (register_from_domain === undefined && registration.every((member) => changes[member] === undefined)) return
  const getValue = <Member extends 'register_username' | 'register_password'>(member: Member) =>
    (changes[member] === undefined ? current?.[member] : changes[member]) ?? null
  const fault = validateRegistration(
    {
      requires_register: (changes.requires_register ?? current?.requires_register) === 1,
      register_username: getValue('register_username'),
      register_password: getValue('register_password'),
    },
    changes,
  )
  if (fault) throwInvalid(fault.msg, fault.field)
}

/** Returns whether every account that could use a carrier of the old owner can use it under the new one. */
const isWider = (to: Owner, from: Owner): boolean =>
  to.service_provider_sid === from.service_provider_sid &&
  (to.account_sid === from.account_sid || (to.account_sid === null && to.service_provider_sid !== null))

/** Rejects a change of the owner while phone numbers or routes of other tenants refer to the carrier. */
const checkMove = async ({ trx }: WriteTransaction, voip_carrier_sid: string, to: Owner): Promise<void> => {
  const { account_sid, service_provider_sid } = to
  const number = await trx
    .selectFrom('phone_numbers')
    .leftJoin('accounts', 'accounts.account_sid', 'phone_numbers.account_sid')
    .select('phone_number_sid')
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .where('phone_numbers.account_sid', 'is not', null)
    .where((where) =>
      account_sid === null
        ? where('accounts.service_provider_sid', '!=', service_provider_sid ?? '')
        : where('phone_numbers.account_sid', '!=', account_sid),
    )
    .limit(1)
    .executeTakeFirst()
  if (number) throwApiError('carrier_in_use', { msg: 'phone numbers of others use this carrier' })
  const route = await trx
    .selectFrom('lcr_carrier_set_entry')
    .innerJoin('lcr_routes', 'lcr_routes.lcr_route_sid', 'lcr_carrier_set_entry.lcr_route_sid')
    .innerJoin('lcr', 'lcr.lcr_sid', 'lcr_routes.lcr_sid')
    .leftJoin('accounts', 'accounts.account_sid', 'lcr.account_sid')
    .select('lcr.lcr_sid')
    .where('lcr_carrier_set_entry.voip_carrier_sid', '=', voip_carrier_sid)
    .where((where) =>
      where.or([
        where('lcr.service_provider_sid', '!=', service_provider_sid ?? ''),
        account_sid === null
          ? where('accounts.service_provider_sid', '!=', service_provider_sid ?? '')
          : where('accounts.account_sid', '!=', account_sid),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (route) throwApiError('carrier_in_use', { msg: 'outbound call routes of others use this carrier' })
}

export const changeVoipCarrier = async (
  write: WriteTransaction,
  before: LockedCarrier,
  changes: VoipCarrierChange,
  owner: Owner,
): Promise<void> => {
  const { trx } = write
  const { voip_carrier_sid } = before
  const settings = toSettings(changes)
  const application = settings.application_sid === undefined ? before.application_sid : settings.application_sid
  await checkApplication(write, application, owner.account_sid)
  checkRegistration(settings, before)
  if (!isWider(owner, before)) await checkMove(write, voip_carrier_sid, owner)
  for (const secret of secrets)
    if (settings[secret] && isUnchangedMask(settings[secret], before[secret], secret, maskPassword))
      delete settings[secret]
  const newColumns = { ...settings, ...owner }
  await trx
    .updateTable('voip_carriers')
    .set(omitMissing(write, 'voip_carriers', newColumns))
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  const after = { ...before, ...newColumns }
  write.record({ action: 'update', kind: 'voip_carrier', sid: voip_carrier_sid, before, after })
}

/** Deletes a carrier with its gateways. Rejects if the carrier is in use. */
export const deleteVoipCarrier = async (
  write: WriteTransaction,
  actor: Actor,
  voip_carrier_sid: string,
): Promise<void> => {
  const before = await lockCarrier(write, actor, voip_carrier_sid)
  const use = await findFirstUse(write.trx, getBlockers('voip_carriers'), voip_carrier_sid)
  if (use) throwApiError('carrier_in_use', { msg: `cannot delete voip carrier ${use.reference.reason}` })
  await deleteRecord(write, voipCarrierTable, voip_carrier_sid)
  write.record({ action: 'delete', kind: 'voip_carrier', sid: voip_carrier_sid, before, after: null })
}
