import { type Actor, can, type Owner } from '@patchbay/contract/access'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { ListPage } from '@patchbay/contract/list-pages'
import { validateRegistration } from '@patchbay/contract/routing/gateways'
import { maskKey } from '@patchbay/contract/shared/masking'
import {
  type NewVoipCarrier,
  registerStatus,
  type RegisterStatus,
  type VoipCarrier,
  voipCarrier,
  type VoipCarrierChange,
} from '@patchbay/contract/voip-carriers'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Database, lockForUpdate, like } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { checkApplication } from '../shared/check-application.ts'
import { dropCarriers } from '../shared/delete-carriers.ts'
import { anywhere, readList } from '../shared/list-pages.ts'
import { ownedCarriers, toOwner } from '../../auth/owner-lookup.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'

/** All SQL of carriers (api/2-telephony.md §2, §16). */

const columns = voipCarrier.keyof().options

const secrets = ['register_password', 'inbound_auth_password', 'smpp_password', 'smpp_inbound_password'] as const

/** Answered as members of the same name; those that the database lacks as null. */
const rowsOf = (db: Kysely<Tables>, missingSchema: ReadonlySet<string>) =>
  db
    .selectFrom('voip_carriers')
    .select((where) =>
      columns.map((column) =>
        missingSchema.has(`voip_carriers.${column}`)
          ? where.lit(null).as(column)
          : where.ref(`voip_carriers.${column}`).as(column),
      ),
    )
    .$castTo<StoredCarrier>()

/** A row as it is read. */
type StoredCarrier = Omit<VoipCarrier, 'register_status'> & { register_status: string | null }

const statusOf = (stored: string | null): RegisterStatus => {
  if (stored === null) return {}
  try {
    return registerStatus.catch({}).parse(JSON.parse(stored))
  } catch {
    return {}
  }
}

const maskOf = (secret: string | null): string | null => secret && maskKey(secret)

const shown = (row: StoredCarrier): VoipCarrier => ({
  ...row,
  register_password: maskOf(row.register_password),
  inbound_auth_password: maskOf(row.inbound_auth_password),
  smpp_password: maskOf(row.smpp_password),
  smpp_inbound_password: maskOf(row.smpp_inbound_password),
  register_status: statusOf(row.register_status),
})

type Where = ExpressionBuilder<Tables, 'voip_carriers'>

/** Those that an account may use: its own, and its provider's that have no account. */
export const isUsedBy = (where: Where, account: string) =>
  where.or([
    where('voip_carriers.account_sid', '=', account),
    where.and([
      where('voip_carriers.account_sid', 'is', null),
      where(
        'voip_carriers.service_provider_sid',
        '=',
        where
          .selectFrom('accounts')
          .select('accounts.service_provider_sid')
          .where('accounts.account_sid', '=', account),
      ),
    ]),
  ])

export const isOfProvider = (where: Where, provider: string) =>
  where('voip_carriers.service_provider_sid', '=', provider)

/** Which carriers a list holds. */
const narrowings = {
  all: () => (where: Where) => where.lit(true),
  ofProvider: (provider: string) => (where: Where) => isOfProvider(where, provider),
  usedBy: (_provider: string, account: string) => (where: Where) => isUsedBy(where, account),
  ofProviderUsedBy: (provider: string, account: string) => (where: Where) =>
    where.and([isOfProvider(where, provider), isUsedBy(where, account)]),
} as const

/** The ways to ask for one list, compiled once. */
const listQueries = (
  { reader }: Database,
  missingSchema: ReadonlySet<string>,
  narrow: (typeof narrowings)[keyof typeof narrowings],
) => {
  const ordered = (provider: string, account: string, part: string) =>
    rowsOf(reader, missingSchema)
      .where(narrow(provider, account))
      .where(like('voip_carriers.name', part))
      .orderBy('voip_carriers.name')
      .orderBy('voip_carriers.voip_carrier_sid')
  return {
    whole: prepared(reader, ordered),
    some: prepared(reader, (provider: string, account: string, part: string, limit: number, offset: number) =>
      ordered(provider, account, part).limit(limit).offset(offset),
    ),
    count: prepared(reader, (provider: string, account: string, part: string) =>
      reader
        .selectFrom('voip_carriers')
        .where(narrow(provider, account))
        .where(like('voip_carriers.name', part))
        .select(({ fn }) => fn.countAll<number | string>().as('total')),
    ),
  }
}

/** Which carriers are listed; only what the actor may see of them comes. */
interface CarrierSearch {
  service_provider_sid?: string | undefined
  /** those that it may use */
  account_sid?: string | undefined
  /** a part of the name */
  name?: string | undefined
}

export const createVoipCarrierStore = (database: Database, missingSchema: ReadonlySet<string>) => {
  const { db } = database
  const lists = {
    all: listQueries(database, missingSchema, narrowings.all),
    ofProvider: listQueries(database, missingSchema, narrowings.ofProvider),
    usedBy: listQueries(database, missingSchema, narrowings.usedBy),
    ofProviderUsedBy: listQueries(database, missingSchema, narrowings.ofProviderUsedBy),
  }
  const ofAccount = prepared(db, (account: string) =>
    rowsOf(db, missingSchema)
      .where('voip_carriers.account_sid', '=', account)
      .orderBy('voip_carriers.name')
      .orderBy('voip_carriers.voip_carrier_sid'),
  )
  const one = prepared(db, (sid: string) => rowsOf(db, missingSchema).where('voip_carriers.voip_carrier_sid', '=', sid))

  const listFor = (actor: Actor, search: CarrierSearch) => {
    const own = actor.scope === 'account' ? (actor.account_sid ?? '') : undefined
    const provider =
      actor.scope === 'service_provider' ? (actor.service_provider_sid ?? '') : search.service_provider_sid
    const account = own ?? (search.account_sid || undefined)
    if (provider === undefined)
      return account === undefined
        ? { queries: lists.all, provider: '', account: '' }
        : { queries: lists.usedBy, provider: '', account }
    return account === undefined
      ? { queries: lists.ofProvider, provider, account: '' }
      : { queries: lists.ofProviderUsedBy, provider, account }
  }

  return {
    list: (actor: Actor, search: CarrierSearch, page: ListPage | undefined) => {
      const { queries, provider, account } = listFor(actor, search)
      return readList(queries, [provider, account, anywhere(search.name)], page, shown)
    },
    ofAccount: async (account_sid: string): Promise<VoipCarrier[]> => (await ofAccount(account_sid)).map(shown),
    read: async (voip_carrier_sid: string): Promise<VoipCarrier | undefined> => {
      const [row] = await one(voip_carrier_sid)
      return row && shown(row)
    },
  }
}

type Settings = Omit<VoipCarrierChange, 'register_status' | 'created_at' | 'account_sid' | 'service_provider_sid'>

/** An empty application is none. */
const settingsOf = ({
  register_status: _status,
  created_at: _created,
  account_sid: _account,
  service_provider_sid: _provider,
  application_sid,
  ...settings
}: VoipCarrierChange): Settings => ({
  ...settings,
  ...(application_sid === undefined ? {} : { application_sid: application_sid || null }),
})

export const createVoipCarrier = async (
  write: WriteTransaction,
  sent: NewVoipCarrier,
  owner: Owner,
): Promise<string> => {
  const { trx } = write
  const { name } = sent
  const settings = settingsOf(sent)
  await checkApplication(write, settings.application_sid, owner.account_sid)
  checkRegistration(settings, undefined)
  for (const secret of secrets) if (settings[secret]) isUnchangedMask(settings[secret], null, secret)
  const voip_carrier_sid = randomUUID()
  const after = { ...settings, ...owner, name, voip_carrier_sid }
  await trx.insertInto('voip_carriers').values(after).execute()
  write.record({ action: 'create', kind: 'voip_carrier', sid: voip_carrier_sid, before: null, after })
  return voip_carrier_sid
}

type LockedCarrier = Awaited<ReturnType<typeof lockCarrier>>

/** One change of a carrier at a time; who has lost it since the request was let in changes nothing. */
export const lockCarrier = async ({ trx, engine }: WriteTransaction, actor: Actor, voip_carrier_sid: string) => {
  const row =
    (await lockForUpdate(
      engine,
      trx.selectFrom('voip_carriers').selectAll().where('voip_carrier_sid', '=', voip_carrier_sid),
    ).executeTakeFirst()) ?? throwApiError('not_found')
  const owned = ownedCarriers(trx).where('voip_carriers.voip_carrier_sid', '=', voip_carrier_sid)
  return can(actor, 'write', toOwner(await owned.executeTakeFirstOrThrow())) ? row : throwApiError('carrier_of_another')
}

const registration = ['requires_register', 'register_username', 'register_password', 'register_sip_realm'] as const

/** Asked only where something of it is sent: a carrier may stand as another component of the platform has left it. */
const checkRegistration = (sent: Settings, now: LockedCarrier | undefined): void => {
  const { register_from_domain } = sent
  if (register_from_domain === undefined && registration.every((member) => sent[member] === undefined)) return
  const then = <Member extends 'register_username' | 'register_password'>(member: Member) =>
    (sent[member] === undefined ? now?.[member] : sent[member]) ?? null
  const fault = validateRegistration(
    {
      requires_register: (sent.requires_register ?? now?.requires_register) === 1,
      register_username: then('register_username'),
      register_password: then('register_password'),
    },
    sent,
  )
  if (fault) throwInvalid(fault.msg, fault.field)
}

/** Whether every account that could use a carrier of the one owner can use it as the other's. */
const isWider = (to: Owner, from: Owner): boolean =>
  to.service_provider_sid === from.service_provider_sid &&
  (to.account_sid === from.account_sid || (to.account_sid === null && to.service_provider_sid !== null))

/** What belongs to another from now on may not be what numbers and routes of the old one lead to. */
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
  sent: VoipCarrierChange,
  owner: Owner,
): Promise<void> => {
  const { trx } = write
  const { voip_carrier_sid } = before
  const settings = settingsOf(sent)
  const application = settings.application_sid === undefined ? before.application_sid : settings.application_sid
  await checkApplication(write, application, owner.account_sid)
  checkRegistration(settings, before)
  if (!isWider(owner, before)) await checkMove(write, voip_carrier_sid, owner)
  for (const secret of secrets)
    if (settings[secret] && isUnchangedMask(settings[secret], before[secret], secret)) delete settings[secret]
  const columnsSent = { ...settings, ...owner }
  await trx.updateTable('voip_carriers').set(columnsSent).where('voip_carrier_sid', '=', voip_carrier_sid).execute()
  const after = { ...before, ...columnsSent }
  write.record({ action: 'update', kind: 'voip_carrier', sid: voip_carrier_sid, before, after })
}

/** With its gateways; or, while something uses it, nothing at all. */
export const deleteVoipCarrier = async (
  write: WriteTransaction,
  actor: Actor,
  voip_carrier_sid: string,
): Promise<void> => {
  const { trx } = write
  const before = await lockCarrier(write, actor, voip_carrier_sid)
  const uses = async (table: 'phone_numbers' | 'lcr_carrier_set_entry') =>
    (await trx
      .selectFrom(table)
      .select('voip_carrier_sid')
      .where('voip_carrier_sid', '=', voip_carrier_sid)
      .limit(1)
      .executeTakeFirst()) !== undefined
  if (await uses('phone_numbers')) throwApiError('carrier_in_use')
  if (await uses('lcr_carrier_set_entry'))
    throwApiError('carrier_in_use', { msg: 'cannot delete voip carrier with active outbound call routes' })
  await dropCarriers(write, 'voip_carrier_sid', voip_carrier_sid)
  write.record({ action: 'delete', kind: 'voip_carrier', sid: voip_carrier_sid, before, after: null })
}
