import { throwApiError } from '@patchbay/contract/errors'
import { randomBytes } from 'node:crypto'
import { type Database, lockForUpdate, inTransaction } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Mailbox, UnsubscribeLinks } from '../../call-data/alerts/unsubscribe-links.ts'
import { sha256 } from '../../lib/sha256.ts'
import { toOwner } from '../../auth/owner-lookup.ts'
import { holdDestination } from './store.ts'

/** What the owners of e-mail addresses say of alerts: yes by the link of a mail, once; and no more, at any time. */

const linkMilliseconds = 3 * 86_400_000

/** A link in place of any before it; undefined where the destination has another address now, or needs none. */
export const makeAddressLink = async (
  database: Database,
  { alert_destination_sid, target }: Mailbox,
): Promise<string | undefined> => {
  const link = randomBytes(24).toString('base64url')
  const row = { alert_destination_sid, target, link_hash: sha256(link), link_until: Date.now() + linkMilliseconds }
  return inTransaction(database, async (trx) => {
    const destination = await holdDestination({ trx, engine: database.engine }, alert_destination_sid)
    if (destination?.target !== target || destination.is_confirmed === 1) return undefined
    await trx
      .deleteFrom('patchbay_alert_addresses')
      .where('alert_destination_sid', '=', alert_destination_sid)
      .execute()
    await trx.insertInto('patchbay_alert_addresses').values(row).execute()
    return link
  })
}

export const markSent = async ({ db }: Database, link: string): Promise<void> => {
  await db
    .updateTable('patchbay_alert_addresses')
    .set({ sent_at: Date.now() })
    .where('link_hash', '=', sha256(link))
    .execute()
}

/** What the trail says of an address that its own reader decided on. */
const recordSaid = (
  write: WriteTransaction,
  row: NonNullable<Awaited<ReturnType<typeof holdDestination>>>,
  said: boolean,
) => {
  const { alert_destination_sid: sid, name, target } = row
  const [before, after] = [{ confirmed: said ? null : target }, { confirmed: said ? target : null }]
  write.record({ action: 'update', kind: 'alert_destination', sid, name, owner: toOwner(row), before, after })
}

/** Whether the link was mailed, and none after it. */
export const knowsLink = async ({ db }: Database, link: string): Promise<boolean> => {
  const row = await db
    .selectFrom('patchbay_alert_addresses')
    .select('target')
    .where('link_hash', '=', sha256(link))
    .executeTakeFirst()
  return row !== undefined
}

/** Of the same link many times at once one confirms. What waits goes at once. */
export const confirmAddress = async (write: WriteTransaction, link: string): Promise<void> => {
  const { trx } = write
  const asked = () => trx.selectFrom('patchbay_alert_addresses').selectAll().where('link_hash', '=', sha256(link))
  const sid = (await asked().executeTakeFirst())?.alert_destination_sid ?? throwApiError('address_link_unknown')
  const destination = await holdDestination(write, sid)
  const row = await lockForUpdate(write.engine, asked()).executeTakeFirst()
  if (destination?.kind !== 'email' || row?.target !== destination.target) return throwApiError('address_link_unknown')
  if (row.confirmed_at !== null) return throwApiError('address_link_used')
  if (row.link_until <= Date.now()) return throwApiError('address_link_old')
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
  recordSaid(write, destination, true)
}

/** From now on it gets nothing, until its owner says yes again. Once more changes nothing. */
export const stopAddress = async (
  write: WriteTransaction,
  stopLinks: UnsubscribeLinks,
  link: string,
): Promise<void> => {
  const sid = stopLinks.getDestinationSid(link)
  const destination = await holdDestination(write, sid)
  if (
    destination?.kind !== 'email' ||
    !stopLinks.isValid(link, { alert_destination_sid: sid, target: destination.target })
  )
    return throwApiError('address_link_unknown')
  if (destination.is_confirmed !== 1) return
  await write.trx.deleteFrom('patchbay_alert_addresses').where('alert_destination_sid', '=', sid).execute()
  recordSaid(write, destination, false)
}
