import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { CreatedRecord, Dns } from '../../adapters/dns/dns.ts'
import {
  acquireNamedLock,
  classifyDbError,
  type Database,
  inTransaction,
  lockForUpdate,
} from '../../database/engine.ts'
import { hasPassed } from '../../database/leases.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { OnBackgroundError } from '../../lib/log.ts'

/**
 * DNS records of SIP realms, from the claim to their removal. Each step is stored before it is executed, so that
 * another process can finish the work of a killed one.
 */

/** Time limit of a step, after which another process takes over. Longer than all requests of a step together. */
const stepMs = 60_000

const throwRealmTaken = (): never =>
  throwApiError('duplicate', { msg: 'Duplicate entry: sip_realm is already in use', field: 'sip_realm' })

/**
 * Serializes changes of realms. Must come first, because MySQL's snapshot of a transaction starts with the first read.
 */
const lockRealms = ({ trx, engine }: WriteTransaction): Promise<void> => acquireNamedLock(trx, engine, 'sip realms')

const lockAccount = async ({ trx, engine }: WriteTransaction, account_sid: string) => {
  const rows = trx
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid', 'name', 'sip_realm'])
    .where('account_sid', '=', account_sid)
  return (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
}

type LockedAccount = Awaited<ReturnType<typeof lockAccount>>

/**
 * Checks that a realm is not in use or claimed by another account, and is not the root domain of a service provider.
 */
const checkFree = async ({ trx, engine }: WriteTransaction, account_sid: string, sip_realm: string): Promise<void> => {
  const accounts = trx.selectFrom('accounts').select('account_sid').where('sip_realm', '=', sip_realm)
  const otherAccounts = accounts.where('account_sid', '!=', account_sid)
  if (await lockForUpdate(engine, otherAccounts).executeTakeFirst()) throwRealmTaken()
  const claims = trx
    .selectFrom('patchbay_realm_records')
    .select('account_sid')
    .where('claim', '=', sip_realm)
    .where('account_sid', '!=', account_sid)
  if (await lockForUpdate(engine, claims).executeTakeFirst()) throwRealmTaken()
  const roots = trx.selectFrom('service_providers').select('root_domain').where('root_domain', '=', sip_realm)
  if (await lockForUpdate(engine, roots).executeTakeFirst()) throwRealmTaken()
}

/** Schedules the removal of an account's records at the DNS provider. Must be called before the account changes. */
const orphanRecords = async (
  { trx }: WriteTransaction,
  { account_sid, sip_realm }: Pick<LockedAccount, 'account_sid' | 'sip_realm'>,
): Promise<void> => {
  const now = Date.now()
  const { numUpdatedRows } = await trx
    .updateTable('patchbay_realm_records')
    .set({ state: 'removing', due_at: now })
    .where('account_sid', '=', account_sid)
    .where('state', '=', 'made')
    .executeTakeFirstOrThrow()
  const rows = await trx.selectFrom('dns_records').select('record_id').where('account_sid', '=', account_sid).execute()
  await trx.deleteFrom('dns_records').where('account_sid', '=', account_sid).execute()
  if (rows.length === 0 || numUpdatedRows > 0n || sip_realm === null) return
  // These records were created by jambonz.
  const record_ids = JSON.stringify(rows.map(({ record_id }) => record_id))
  const removal = { realm_records_sid: randomUUID(), account_sid, sip_realm: sip_realm.toLowerCase() }
  await trx
    .insertInto('patchbay_realm_records')
    .values({ ...removal, state: 'removing', record_ids, due_at: now })
    .execute()
}

/** Schedules the removal of the records of a deleted account. */
export const removeAccountRecords = async (
  write: WriteTransaction,
  account: Pick<LockedAccount, 'account_sid' | 'sip_realm'>,
): Promise<void> => orphanRecords(write, account)

const setRealm = async (write: WriteTransaction, account: LockedAccount, sip_realm: string): Promise<void> => {
  const { account_sid, service_provider_sid, name } = account
  await write.trx.updateTable('accounts').set({ sip_realm }).where('account_sid', '=', account_sid).execute()
  write.record({
    action: 'update',
    kind: 'account',
    sid: account_sid,
    name,
    owner: { account_sid, service_provider_sid },
    before: { sip_realm: account.sip_realm },
    after: { sip_realm },
  })
}

/** Assigns a realm that gets no DNS records. */
export const assignRealm = async (write: WriteTransaction, account_sid: string, sip_realm: string): Promise<void> => {
  await lockRealms(write)
  const account = await lockAccount(write, account_sid)
  if (account.sip_realm?.toLowerCase() === sip_realm) return
  await checkFree(write, account_sid, sip_realm)
  await orphanRecords(write, account)
  await setRealm(write, account, sip_realm)
}

/** First step: claims the realm for an account. Returns undefined if the account already has it with its records. */
export const claimRealm = async (
  write: WriteTransaction,
  account_sid: string,
  sip_realm: string,
): Promise<string | undefined> => {
  const { trx, engine } = write
  await lockRealms(write)
  const account = await lockAccount(write, account_sid)
  const ownRows = trx
    .selectFrom('patchbay_realm_records')
    .select(['state', 'sip_realm'])
    .where('account_sid', '=', account_sid)
  const sets = await lockForUpdate(engine, ownRows).execute()
  if (sets.some(({ state }) => state === 'claimed' || state === 'making')) throwApiError('too_many_concurrent_requests')
  const isOwn = account.sip_realm?.toLowerCase() === sip_realm
  if (isOwn && sets.some((set) => set.state === 'made' && set.sip_realm === sip_realm)) return undefined
  const jambonzRecords = trx.selectFrom('dns_records').select('record_id').where('account_sid', '=', account_sid)
  if (isOwn && (await jambonzRecords.executeTakeFirst())) return undefined
  await checkFree(write, account_sid, sip_realm)
  const realm_records_sid = randomUUID()
  const due_at = Date.now() + stepMs
  await trx
    .insertInto('patchbay_realm_records')
    .values({ realm_records_sid, account_sid, sip_realm, claim: sip_realm, state: 'claimed', due_at })
    .execute()
    .catch((error: unknown) => {
      if (classifyDbError(error)?.fault === 'duplicate') throwRealmTaken()
      throw error
    })
  return realm_records_sid
}

/**
 * Second step: records are about to be created. Returns false if another process has given up the claim in the
 * meantime.
 */
export const startCreation = async ({ db }: Database, realm_records_sid: string, zone: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('patchbay_realm_records')
    .set({ state: 'making', zone, due_at: Date.now() + stepMs })
    .where('realm_records_sid', '=', realm_records_sid)
    .where('state', '=', 'claimed')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export class ClaimLost extends Error {}

/**
 * Third step: assigns the realm with its new records to the account, and schedules the removal of the previous records.
 */
export const completeRealm = async (
  write: WriteTransaction,
  { realm_records_sid, account_sid, sip_realm }: { realm_records_sid: string; account_sid: string; sip_realm: string },
  records: readonly CreatedRecord[],
): Promise<void> => {
  const { trx } = write
  await lockRealms(write)
  const account = await lockAccount(write, account_sid)
  await orphanRecords(write, account)
  const { numUpdatedRows } = await trx
    .updateTable('patchbay_realm_records')
    .set({ state: 'made', claim: null, due_at: null, record_ids: JSON.stringify(records.map(({ id }) => id)) })
    .where('realm_records_sid', '=', realm_records_sid)
    .where('state', '=', 'making')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new ClaimLost('the claim of a SIP realm was given up meanwhile')
  for (const { id, type } of records)
    await trx
      .insertInto('dns_records')
      .values({ dns_record_sid: randomUUID(), account_sid, record_type: type.slice(0, 6), record_id: id })
      .execute()
  if (account.sip_realm !== sip_realm) await setRealm(write, account, sip_realm)
}

/**
 * Cancels an attempt and schedules the removal of the records that it may have created. Removes by id if the ids are
 * known.
 */
export const cancelClaim = (
  database: Database,
  { realm_records_sid, account_sid, sip_realm }: { realm_records_sid: string; account_sid: string; sip_realm: string },
  creation: { zone: string; records: readonly CreatedRecord[] } | undefined,
): Promise<void> =>
  inTransaction(database, async (trx) => {
    const deleteOwn = () => trx.deleteFrom('patchbay_realm_records').where('realm_records_sid', '=', realm_records_sid)
    await deleteOwn().where('state', '=', 'claimed').execute()
    const removal = { state: 'removing', claim: null, due_at: Date.now() }
    if (creation === undefined) {
      await trx
        .updateTable('patchbay_realm_records')
        .set(removal)
        .where('realm_records_sid', '=', realm_records_sid)
        .where('state', '=', 'making')
        .execute()
      return
    }
    // Another process may have considered the claim abandoned and found no records at that time.
    await deleteOwn().execute()
    const record_ids = JSON.stringify(creation.records.map(({ id }) => id))
    await trx
      .insertInto('patchbay_realm_records')
      .values({ realm_records_sid, account_sid, sip_realm, zone: creation.zone, record_ids, ...removal })
      .execute()
  })

interface StaleRecords {
  realm_records_sid: string
  sip_realm: string
  state: string
  zone: string | null
  record_ids: string | null
  due_at: number | null
}

/** Matches rows whose step has timed out or is due now. */
const isDue = (now: number) => hasPassed('due_at', now, stepMs)

/** Claims the removal for this process. Returns false if another process has it. */
const claimRemoval = async ({ db }: Database, { realm_records_sid, due_at }: StaleRecords): Promise<boolean> => {
  const now = Date.now()
  const { numUpdatedRows } = await db
    .updateTable('patchbay_realm_records')
    .set({ state: 'removing', claim: null, due_at: now + stepMs })
    .where('realm_records_sid', '=', realm_records_sid)
    .where('due_at', '=', due_at)
    .where(isDue(now))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Removes records at the DNS provider. Without ids, all records of the realm are removed, because it had no records
 * before.
 */
const removeRecords = async (dns: Dns, { sip_realm, zone, record_ids }: StaleRecords): Promise<void> => {
  const managed = zone ?? (await dns.findZone(sip_realm))
  if (managed === undefined) return
  const existingIds = await dns.findRecordIds(managed, sip_realm)
  const ids =
    record_ids === null ? existingIds : (JSON.parse(record_ids) as number[]).filter((id) => existingIds.includes(id))
  await dns.removeRecords(managed, ids)
}

/** Removes the records and their row. Returns false if another process is removing them. */
const removeStaleRecords = async (database: Database, dns: Dns, stale: StaleRecords): Promise<boolean> => {
  if (!(await claimRemoval(database, stale))) return false
  if (stale.state !== 'claimed') await removeRecords(dns, stale)
  await database.db
    .deleteFrom('patchbay_realm_records')
    .where('realm_records_sid', '=', stale.realm_records_sid)
    .execute()
  return true
}

const selectStaleRecords = ({ db }: Database) =>
  db
    .selectFrom('patchbay_realm_records')
    .select(['realm_records_sid', 'sip_realm', 'state', 'zone', 'record_ids', 'due_at'])

/**
 * Removes what an earlier attempt for this realm has left at the provider. Rejects while another process removes it.
 */
export const removeLeftovers = async (database: Database, dns: Dns, sip_realm: string): Promise<void> => {
  const staleRows = await selectStaleRecords(database)
    .where('sip_realm', '=', sip_realm)
    .where('state', '=', 'removing')
    .execute()
  for (const stale of staleRows)
    if (!(await removeStaleRecords(database, dns, stale))) throwApiError('too_many_concurrent_requests')
}

/** Removes what an attempt of this process has left. */
export const removeOwnLeftovers = async (database: Database, dns: Dns, realm_records_sid: string): Promise<void> => {
  const stale = await selectStaleRecords(database).where('realm_records_sid', '=', realm_records_sid).executeTakeFirst()
  if (stale?.state === 'removing') await removeStaleRecords(database, dns, stale)
}

const batchSize = 100

/** Removes all due leftovers. A failed removal is retried after its time limit. */
export const removeDueLeftovers = async (
  database: Database,
  dns: Dns,
  onBackgroundError: OnBackgroundError,
): Promise<void> => {
  const now = Date.now()
  const dueRows = await selectStaleRecords(database).where(isDue(now)).orderBy('due_at').limit(batchSize).execute()
  for (const stale of dueRows)
    await removeStaleRecords(database, dns, stale).catch((error: unknown) =>
      onBackgroundError(error, 'DNS records could not be removed; retrying in a minute', {
        sip_realm: stale.sip_realm,
      }),
    )
}

/**
 * Schedules the removal of records whose account was deleted or has another realm, for example because of a change by
 * another component.
 */
export const orphanStale = async ({ db, reader }: Database): Promise<void> => {
  const stale = await reader
    .selectFrom('patchbay_realm_records')
    .leftJoin('accounts', 'accounts.account_sid', 'patchbay_realm_records.account_sid')
    .select(['patchbay_realm_records.realm_records_sid', 'patchbay_realm_records.sip_realm'])
    .select('accounts.sip_realm as now')
    .where('patchbay_realm_records.state', '=', 'made')
    .where((where) =>
      where.or([
        where('accounts.sip_realm', 'is', null),
        where('accounts.sip_realm', '!=', where.ref('patchbay_realm_records.sip_realm')),
      ]),
    )
    .limit(10 * batchSize)
    .execute()
  for (const { realm_records_sid, sip_realm, now } of stale) {
    if (now?.toLowerCase() === sip_realm) continue
    await db
      .updateTable('patchbay_realm_records')
      .set({ state: 'removing', due_at: Date.now() })
      .where('realm_records_sid', '=', realm_records_sid)
      .where('state', '=', 'made')
      .execute()
  }
}

/** Returns whether no account uses or has claimed a realm. */
export const isRealmFree = async ({ db }: Database, sip_realm: string): Promise<boolean> => {
  const matches = await Promise.all([
    db.selectFrom('accounts').select('account_sid').where('sip_realm', '=', sip_realm).executeTakeFirst(),
    db.selectFrom('patchbay_realm_records').select('account_sid').where('claim', '=', sip_realm).executeTakeFirst(),
    db
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('root_domain', '=', sip_realm)
      .executeTakeFirst(),
  ])
  return matches.every((one) => one === undefined)
}
