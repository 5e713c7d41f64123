import { randomBytes, randomUUID } from 'node:crypto'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { NewCallShare } from '@patchbay/contract/call-shares'
import {
  addressMaskings,
  legChoices,
  numberMaskings,
  type ReportChoices,
} from '@patchbay/contract/shared/call-report-choices'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { hourMs } from '@patchbay/contract/shared/durations'
import type { Kysely, Selectable } from 'kysely'
import type { PrincipalSid } from '../../auth/principals.ts'
import { classifyDbError, type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { sha256 } from '../../lib/sha256.ts'

/** SQL of links to shared calls. Tokens are stored as hashes, so that a copy of the database opens no call. */

export type CallShareRow = Selectable<Tables['patchbay_call_shares']>

interface SharedCallSid {
  account_sid: string
  call_sid: string
}

/** Links of an account, or of one of its calls. */
type LinkFilter = Pick<SharedCallSid, 'account_sid'> & Partial<SharedCallSid>

/** Selects the links that have not expired. */
const selectLinks = (db: Kysely<Tables>, { account_sid, call_sid }: LinkFilter) => {
  const ofAccount = db
    .selectFrom('patchbay_call_shares')
    .where('account_sid', '=', account_sid)
    .where('expires_at', '>', Date.now())
  return call_sid === undefined ? ofAccount : ofAccount.where('call_sid', '=', call_sid)
}

/** Returns the number of links that have not expired. */
export const countCallShares = async (db: Kysely<Tables>, filter: LinkFilter): Promise<number> => {
  const { links } = await selectLinks(db, filter)
    .select(({ fn }) => fn.countAll<number | string>().as('links'))
    .executeTakeFirstOrThrow()
  return Number(links)
}

/** Locks the account, so that concurrent requests cannot exceed its limits, and deletes its expired links. */
const prepareAccount = async ({ trx, engine }: WriteTransaction, call: SharedCallSid): Promise<void> => {
  const { account_sid } = call
  const account = trx.selectFrom('accounts').select('account_sid').where('account_sid', '=', account_sid)
  if ((await lockForUpdate(engine, account).execute()).length === 0) throwApiError('not_found')
  await trx
    .deleteFrom('patchbay_call_shares')
    .where('account_sid', '=', account_sid)
    .where('expires_at', '<=', Date.now())
    .execute()
  const { perAccount, perCall } = callShareLimits
  if ((await countCallShares(trx, call)) >= perCall)
    throwInvalid(`This call has ${perCall} links, which is the maximum. Revoke one first`)
  if ((await countCallShares(trx, { account_sid })) >= perAccount)
    throwInvalid(`The account has ${perAccount} links to shared calls, which is the maximum. Revoke one first`)
}

/** Creates a link. Returns its token, which is not stored. */
export const createCallShare = async (
  write: WriteTransaction,
  call: SharedCallSid,
  creator: PrincipalSid & { created_by: string | null },
  { expires_in_hours, includes_recording, note, report }: NewCallShare,
): Promise<{ sid: string; token: string; expires_at: string }> => {
  await prepareAccount(write, call)
  const now = Date.now()
  const token = randomBytes(32).toString('base64url')
  const sid = randomUUID()
  const expires_at = now + expires_in_hours * hourMs
  const row: CallShareRow = {
    call_share_sid: sid,
    ...call,
    token_hash: sha256(token),
    ...creator,
    note: note ?? null,
    includes_recording,
    created_at: now,
    expires_at,
    views: 0,
    last_viewed_at: null,
    report_sip_callid: report?.sip_callid ?? null,
    report_numbers: report?.numbers ?? null,
    report_addresses: report?.addresses ?? null,
    report_legs: report ? (report.legs ?? 'all') : null,
  }
  await write.trx.insertInto('patchbay_call_shares').values(row).execute()
  write.record({ action: 'create', kind: 'call_share', sid, before: null, after: row })
  return { sid, token, expires_at: new Date(expires_at).toISOString() }
}

/** Deletes a link of an account. */
export const revokeCallShare = async (write: WriteTransaction, account_sid: string, sid: string): Promise<void> => {
  const { trx, engine } = write
  const rows = trx
    .selectFrom('patchbay_call_shares')
    .selectAll()
    .where('call_share_sid', '=', sid)
    .where('account_sid', '=', account_sid)
  const before = (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
  await trx.deleteFrom('patchbay_call_shares').where('call_share_sid', '=', before.call_share_sid).execute()
  write.record({ action: 'delete', kind: 'call_share', sid: before.call_share_sid, before, after: null })
}

/** Returns the links that have not expired, newest first. */
export const listCallShares = (
  db: Kysely<Tables>,
  filter: LinkFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<CallShareRow[]> =>
  selectLinks(db, filter)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('call_share_sid')
    .limit(limit)
    .offset(offset)
    .execute()

/** Returns a function that finds the link of a token, unless it has expired. */
export const createCallShareLookup = ({ db }: Pick<Database, 'db'>) => {
  const find = prepared(db, (token_hash: string) =>
    db.selectFrom('patchbay_call_shares').selectAll().where('token_hash', '=', token_hash),
  )
  return async (token: string): Promise<CallShareRow | undefined> => {
    const [share] = await find(sha256(token))
    return share && share.expires_at > Date.now() ? share : undefined
  }
}

/** Returns the choices of a link's report. Null for a link to a conversation, and for choices of a newer version. */
export const toReportChoices = ({
  report_numbers,
  report_addresses,
  report_legs,
}: CallShareRow): ReportChoices | null => {
  const numbers = numberMaskings.find((one) => one === report_numbers)
  const addresses = addressMaskings.find((one) => one === report_addresses)
  const legs = legChoices.find((one) => one === (report_legs ?? 'all'))
  return numbers === undefined || addresses === undefined || legs === undefined ? null : { numbers, addresses, legs }
}

/** Reloads of a page within this time are one view. */
const viewMs = 60_000

/**
 * Counts a view of a link, at most one per minute. It bypasses the write transaction, because the links themselves are
 * audited, and their views are counted.
 */
export const countView = async (
  { db }: Pick<Database, 'db'>,
  { call_share_sid, last_viewed_at }: CallShareRow,
): Promise<void> => {
  const now = Date.now()
  // After the system clock was set back, the last view is in the future.
  if (last_viewed_at !== null && Math.abs(now - last_viewed_at) < viewMs) return
  try {
    await db
      .updateTable('patchbay_call_shares')
      .set(({ eb }) => ({ views: eb('views', '+', 1), last_viewed_at: now }))
      .where('call_share_sid', '=', call_share_sid)
      // Only the first of concurrent views updates the row.
      .where('last_viewed_at', last_viewed_at === null ? 'is' : '=', last_viewed_at)
      .execute()
  } catch (error) {
    // A full disk must not fail requests that only read.
    if (classifyDbError(error)?.fault !== 'unwritable') throw error
  }
}
