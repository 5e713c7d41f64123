import { throwApiError } from '@patchbay/contract/errors'
import type { ExpressionBuilder } from 'kysely'
import { randomUUID } from 'node:crypto'
import { latestDeadline } from '../../lib/clock.ts'
import {
  type Database,
  classifyDbError,
  lockForUpdate,
  inTransaction,
  acquireNamedLock,
} from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Dns, CreatedRecord } from '../../adapters/dns/dns.ts'

/**
 * DNS records of SIP realms, from the intent to make them until they are removed. Each step is written down before it is
 * taken, so that whatever a process leaves half done another ends.
 */

/** How long a step may take until another process takes it up: longer than all requests of it together. */
const stepMilliseconds = 60_000

const isTaken = (): never =>
  throwApiError('duplicate', { msg: 'Duplicate entry: sip_realm is already in use', field: 'sip_realm' })

/** First of all: what a transaction of MySQL reads before it waits stays as it was then. */
const oneRealmAtATime = ({ trx, engine }: WriteTransaction): Promise<void> =>
  acquireNamedLock(trx, engine, 'sip realms')

const lockAccount = async ({ trx, engine }: WriteTransaction, account_sid: string) => {
  const rows = trx
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid', 'name', 'sip_realm'])
    .where('account_sid', '=', account_sid)
  return (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
}

type LockedAccount = Awaited<ReturnType<typeof lockAccount>>

/** A realm is one account's, whether it has it or is about to; and no root domain of a provider. */
const checkFree = async ({ trx, engine }: WriteTransaction, account_sid: string, sip_realm: string): Promise<void> => {
  const accounts = trx.selectFrom('accounts').select('account_sid').where('sip_realm', '=', sip_realm)
  const ofOthers = accounts.where('account_sid', '!=', account_sid)
  if (await lockForUpdate(engine, ofOthers).executeTakeFirst()) isTaken()
  const claims = trx
    .selectFrom('patchbay_realm_records')
    .select('account_sid')
    .where('claim', '=', sip_realm)
    .where('account_sid', '!=', account_sid)
  if (await lockForUpdate(engine, claims).executeTakeFirst()) isTaken()
  const roots = trx.selectFrom('service_providers').select('root_domain').where('root_domain', '=', sip_realm)
  if (await lockForUpdate(engine, roots).executeTakeFirst()) isTaken()
}

/** What an account has at the provider of DNS goes, as soon as that can be done. Before the account changes. */
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
  // The platform's own server made them.
  const record_ids = JSON.stringify(rows.map(({ record_id }) => record_id))
  const kept = { realm_records_sid: randomUUID(), account_sid, sip_realm: sip_realm.toLowerCase() }
  await trx
    .insertInto('patchbay_realm_records')
    .values({ ...kept, state: 'removing', record_ids, due_at: now })
    .execute()
}

/** Of an account that is deleted. */
export const closeDns = async (
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

/** A realm that gets no records. */
export const takeRealm = async (write: WriteTransaction, account_sid: string, sip_realm: string): Promise<void> => {
  await oneRealmAtATime(write)
  const account = await lockAccount(write, account_sid)
  if (account.sip_realm?.toLowerCase() === sip_realm) return
  await checkFree(write, account_sid, sip_realm)
  await orphanRecords(write, account)
  await setRealm(write, account, sip_realm)
}

/** The first step: the realm is the account's to make records of. undefined: it has it, with its records. */
export const claimRealm = async (
  write: WriteTransaction,
  account_sid: string,
  sip_realm: string,
): Promise<string | undefined> => {
  const { trx, engine } = write
  await oneRealmAtATime(write)
  const account = await lockAccount(write, account_sid)
  const own = trx
    .selectFrom('patchbay_realm_records')
    .select(['state', 'sip_realm'])
    .where('account_sid', '=', account_sid)
  const sets = await lockForUpdate(engine, own).execute()
  if (sets.some(({ state }) => state === 'claimed' || state === 'making')) throwApiError('too_much_at_once')
  const isOwn = account.sip_realm?.toLowerCase() === sip_realm
  if (isOwn && sets.some((set) => set.state === 'made' && set.sip_realm === sip_realm)) return undefined
  const made = trx.selectFrom('dns_records').select('record_id').where('account_sid', '=', account_sid)
  if (isOwn && (await made.executeTakeFirst())) return undefined
  await checkFree(write, account_sid, sip_realm)
  const realm_records_sid = randomUUID()
  const due_at = Date.now() + stepMilliseconds
  await trx
    .insertInto('patchbay_realm_records')
    .values({ realm_records_sid, account_sid, sip_realm, claim: sip_realm, state: 'claimed', due_at })
    .execute()
    .catch((error: unknown) => {
      if (classifyDbError(error)?.fault === 'duplicate') isTaken()
      throw error
    })
  return realm_records_sid
}

/** The second: records are about to be made. False where another process has given the claim up meanwhile. */
export const beginMaking = async ({ db }: Database, realm_records_sid: string, zone: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('patchbay_realm_records')
    .set({ state: 'making', zone, due_at: Date.now() + stepMilliseconds })
    .where('realm_records_sid', '=', realm_records_sid)
    .where('state', '=', 'claimed')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export class ClaimLost extends Error {}

/** The third: the account has the realm with these records, and those of before go. */
export const settleRealm = async (
  write: WriteTransaction,
  { realm_records_sid, account_sid, sip_realm }: { realm_records_sid: string; account_sid: string; sip_realm: string },
  records: readonly CreatedRecord[],
): Promise<void> => {
  const { trx } = write
  await oneRealmAtATime(write)
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

/** What was begun is not to be: what was made of it is to be removed, by its ids where they are known. */
export const giveUp = (
  database: Database,
  { realm_records_sid, account_sid, sip_realm }: { realm_records_sid: string; account_sid: string; sip_realm: string },
  made: { zone: string; records: readonly CreatedRecord[] } | undefined,
): Promise<void> =>
  inTransaction(database, async (trx) => {
    const own = () => trx.deleteFrom('patchbay_realm_records').where('realm_records_sid', '=', realm_records_sid)
    await own().where('state', '=', 'claimed').execute()
    const left = { state: 'removing', claim: null, due_at: Date.now() }
    if (made === undefined) {
      await trx
        .updateTable('patchbay_realm_records')
        .set(left)
        .where('realm_records_sid', '=', realm_records_sid)
        .where('state', '=', 'making')
        .execute()
      return
    }
    // Another process may have taken the claim for abandoned, and have found nothing yet.
    await own().execute()
    const record_ids = JSON.stringify(made.records.map(({ id }) => id))
    await trx
      .insertInto('patchbay_realm_records')
      .values({ realm_records_sid, account_sid, sip_realm, zone: made.zone, record_ids, ...left })
      .execute()
  })

interface Left {
  realm_records_sid: string
  sip_realm: string
  state: string
  zone: string | null
  record_ids: string | null
  due_at: number | null
}

/**
 * Condition: the step has timed out, or is to be done now. A time farther ahead than any step can set was stored before
 * the system clock was set back, and counts as passed.
 */
const isDue = (where: ExpressionBuilder<Tables, 'patchbay_realm_records'>, now: number) =>
  where.or([where('due_at', '<=', now), where('due_at', '>', latestDeadline(now, stepMilliseconds))])

/** Only one process has it at a time; false: it is another's. */
const takeUp = async ({ db }: Database, { realm_records_sid, due_at }: Left): Promise<boolean> => {
  const now = Date.now()
  const { numUpdatedRows } = await db
    .updateTable('patchbay_realm_records')
    .set({ state: 'removing', claim: null, due_at: now + stepMilliseconds })
    .where('realm_records_sid', '=', realm_records_sid)
    .where('due_at', '=', due_at)
    .where((where) => isDue(where, now))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Without ids all that the realm has are ours: there was nothing before they were made. */
const removeRecords = async (dns: Dns, { sip_realm, zone, record_ids }: Left): Promise<void> => {
  const managed = zone ?? (await dns.findZone(sip_realm))
  if (managed === undefined) return
  const there = await dns.findRecordIds(managed, sip_realm)
  const ids = record_ids === null ? there : (JSON.parse(record_ids) as number[]).filter((id) => there.includes(id))
  await dns.removeRecords(managed, ids)
}

/** Removes what is left of one; false where another process is at it. */
const endOne = async (database: Database, dns: Dns, left: Left): Promise<boolean> => {
  if (!(await takeUp(database, left))) return false
  if (left.state !== 'claimed') await removeRecords(dns, left)
  await database.db
    .deleteFrom('patchbay_realm_records')
    .where('realm_records_sid', '=', left.realm_records_sid)
    .execute()
  return true
}

const lefts = ({ db }: Database) =>
  db
    .selectFrom('patchbay_realm_records')
    .select(['realm_records_sid', 'sip_realm', 'state', 'zone', 'record_ids', 'due_at'])

/** What another attempt at the same realm left at the provider; refused while another process removes it. */
export const clearWay = async (database: Database, dns: Dns, sip_realm: string): Promise<void> => {
  const others = await lefts(database).where('sip_realm', '=', sip_realm).where('state', '=', 'removing').execute()
  for (const left of others) if (!(await endOne(database, dns, left))) throwApiError('too_much_at_once')
}

/** Removes what an attempt of one's own has left. */
export const endOwn = async (database: Database, dns: Dns, realm_records_sid: string): Promise<void> => {
  const left = await lefts(database).where('realm_records_sid', '=', realm_records_sid).executeTakeFirst()
  if (left?.state === 'removing') await endOne(database, dns, left)
}

const batchSize = 100

/** Ends what is due; one that fails is tried again when its time has run out. */
export const endLeft = async (
  database: Database,
  dns: Dns,
  onBackgroundError: (error: unknown, what: string) => void,
): Promise<void> => {
  const now = Date.now()
  const due = await lefts(database)
    .where((where) => isDue(where, now))
    .orderBy('due_at')
    .limit(batchSize)
    .execute()
  for (const left of due)
    await endOne(database, dns, left).catch((error: unknown) =>
      onBackgroundError(error, `DNS records of ${left.sip_realm} could not be removed; it is tried again in a minute`),
    )
}

/** Records of realms that nobody has any more: their account is gone, or was given another by whoever may. */
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

/** Whether a realm could be claimed by somebody. */
export const isRealmFree = async ({ db }: Database, sip_realm: string): Promise<boolean> => {
  const found = await Promise.all([
    db.selectFrom('accounts').select('account_sid').where('sip_realm', '=', sip_realm).executeTakeFirst(),
    db.selectFrom('patchbay_realm_records').select('account_sid').where('claim', '=', sip_realm).executeTakeFirst(),
    db
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('root_domain', '=', sip_realm)
      .executeTakeFirst(),
  ])
  return found.every((one) => one === undefined)
}
