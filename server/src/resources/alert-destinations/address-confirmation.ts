import { randomBytes } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import { dayMs } from '@patchbay/contract/shared/durations'
import { toOwner } from '../../auth/owner-lookup.ts'
import type { Mailbox, UnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { sha256 } from '../../lib/sha256.ts'
import { lockAndReadDestination } from './store.ts'

/** Confirmation of email addresses for alerts by a single-use link, and unsubscribing at any time. */

const linkMs = 3 * dayMs

/**
 * Creates a confirmation link, which replaces earlier ones. Returns undefined if the destination has another address
 * now, or needs no confirmation.
 */
export const createAddressLink = async (
  database: Database,
  { alert_destination_sid, target }: Mailbox,
): Promise<string | undefined> => {
  const link = randomBytes(24).toString('base64url')
  const row = { alert_destination_sid, target, link_hash: sha256(link), link_until: Date.now() + linkMs }
  return inTransaction(database, async (trx) => {
    const destination = await lockAndReadDestination({ trx, engine: database.engine }, alert_destination_sid)
    if (destination?.target !== target || destination.is_confirmed === 1) return undefined
    await trx
      .deleteFrom('patchbay_alert_addresses')
      .where('alert_destination_sid', '=', alert_destination_sid)
      .execute()
    await trx.insertInto('patchbay_alert_addresses').values(row).execute()
    return link
  })
}

export const recordSendTime = async ({ db }: Database, link: string): Promise<void> => {
  await db
    .updateTable('patchbay_alert_addresses')
    .set({ sent_at: Date.now() })
    .where('link_hash', '=', sha256(link))
    .execute()
}

/** Records in the audit trail what the owner of an address has decided. */
const recordDecision = (
  write: WriteTransaction,
  row: NonNullable<Awaited<ReturnType<typeof lockAndReadDestination>>>,
  isConfirmed: boolean,
) => {
  const { alert_destination_sid: sid, name, target } = row
  const [before, after] = [{ confirmed: isConfirmed ? null : target }, { confirmed: isConfirmed ? target : null }]
  write.record({ action: 'update', kind: 'alert_destination', sid, name, owner: toOwner(row), before, after })
}

/** Returns whether a link is the latest one of its destination. */
export const isCurrentLink = async ({ db }: Database, link: string): Promise<boolean> => {
  const row = await db
    .selectFrom('patchbay_alert_addresses')
    .select('target')
    .where('link_hash', '=', sha256(link))
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Confirms an address. Of several concurrent requests with the same link, only one succeeds. Waiting alerts become due
 * immediately.
 */
export const confirmAddress = async (write: WriteTransaction, link: string): Promise<void> => {
  const { trx } = write
  const selectLink = () => trx.selectFrom('patchbay_alert_addresses').selectAll().where('link_hash', '=', sha256(link))
  const sid = (await selectLink().executeTakeFirst())?.alert_destination_sid ?? throwApiError('address_link_invalid')
  const destination = await lockAndReadDestination(write, sid)
  const row = await lockForUpdate(write.engine, selectLink()).executeTakeFirst()
  if (destination?.kind !== 'email' || row?.target !== destination.target) return throwApiError('address_link_invalid')
  if (row.confirmed_at !== null) return throwApiError('address_link_used')
  if (row.link_until <= Date.now()) return throwApiError('address_link_expired')
  const now = Date.now()
  await trx
    .updateTable('patchbay_alert_addresses')
    .set({ confirmed_at: now })
    .where('alert_destination_sid', '=', sid)
    .execute()
  await trx
    .updateTable('patchbay_alert_destinations')
    .set({ due_at: now })
    .where('alert_destination_sid', '=', sid)
    .execute()
  recordDecision(write, destination, true)
}

/** Stops alerts to an address until its owner confirms it again. Repeating the request has no effect. */
export const stopAddress = async (
  write: WriteTransaction,
  unsubscribeLinks: UnsubscribeLinks,
  link: string,
): Promise<void> => {
  const sid = unsubscribeLinks.getDestinationSid(link)
  const destination = await lockAndReadDestination(write, sid)
  if (
    destination?.kind !== 'email' ||
    !unsubscribeLinks.isValid(link, { alert_destination_sid: sid, target: destination.target })
  )
    return throwApiError('address_link_invalid')
  if (destination.is_confirmed !== 1) return
  await write.trx.deleteFrom('patchbay_alert_addresses').where('alert_destination_sid', '=', sid).execute()
  recordDecision(write, destination, false)
}
