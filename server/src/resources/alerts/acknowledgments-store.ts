import { randomUUID } from 'node:crypto'
import type { AcknowledgmentQuery, NewAlertAcknowledgment } from '@patchbay/contract/alert-groups'
import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Kysely } from 'kysely'
import { resolveOwner } from '../../auth/resolve-owner.ts'
import { maxAcknowledgments, wholeGroup } from '../../call-data/alerts/acknowledgments.ts'
import { createGroupKey, type GroupIdentity } from '../../call-data/alerts/alert-group-keys.ts'
import { readInstant, split } from '../../call-data/calls/nanosecond-timestamps.ts'
import { insertIgnoringDuplicates, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Caller } from '../../lib/caller.ts'

/** The clocks of the programs that write alerts may be ahead of Patchbay's by this much. */
const maxAheadMs = 300_000

/**
 * Returns the group that a caller names, with its owner.
 * @throws ApiError `invalid` if the owner does not exist or belongs to another tenant
 */
export const resolveGroup = async (
  db: Kysely<Tables>,
  actor: Actor,
  reference: Omit<AcknowledgmentQuery, 'time'> | Omit<NewAlertAcknowledgment, 'until' | 'is_single'>,
): Promise<GroupIdentity> => {
  const { alert_type, object_kind, object_id = null } = reference
  if (actor.scope === 'account' && reference.account_sid && reference.account_sid !== actor.account_sid)
    return throwInvalid('unknown account_sid', 'account_sid')
  const owner = await resolveOwner(db, actor, reference)
  if (owner.account_sid === null && owner.service_provider_sid === null)
    return throwInvalid('missing account_sid or service_provider_sid', 'account_sid')
  return { ...owner, alert_type, object_kind, object_id }
}

/** Deletes the oldest acknowledgments of an owner beyond the maximum, whose alerts are the oldest. */
const deleteExcess = async (
  { trx }: WriteTransaction,
  { account_sid, service_provider_sid }: GroupIdentity,
): Promise<void> => {
  const last = await trx
    .selectFrom('patchbay_alert_acknowledgments')
    .select('until_at')
    .where('account_sid', account_sid === null ? 'is' : '=', account_sid)
    .where('service_provider_sid', service_provider_sid === null ? 'is' : '=', service_provider_sid)
    .orderBy('until_at', 'desc')
    .limit(1)
    .offset(maxAcknowledgments)
    .executeTakeFirst()
  if (last === undefined) return
  await trx
    .deleteFrom('patchbay_alert_acknowledgments')
    .where('account_sid', account_sid === null ? 'is' : '=', account_sid)
    .where('service_provider_sid', service_provider_sid === null ? 'is' : '=', service_provider_sid)
    .where('until_at', '<=', last.until_at)
    .execute()
}

/**
 * Acknowledges the alerts of a group up to a time, or a single alert, and returns the SID of the acknowledgment. A
 * repetition returns the SID of the existing one.
 * @throws ApiError `invalid`
 */
export const acknowledge = async (
  write: WriteTransaction,
  actor: Caller,
  { until, is_single, ...reference }: NewAlertAcknowledgment,
): Promise<string> => {
  const { trx, engine } = write
  const group = await resolveGroup(trx, actor, reference)
  const { milliseconds: until_at, nanoseconds } = split(readInstant(until))
  if (until_at > Date.now() + maxAheadMs) return throwInvalid('until is in the future', 'until')
  const group_key = createGroupKey(group)
  const { account_sid, service_provider_sid } = group
  const row = {
    alert_acknowledgment_sid: randomUUID(),
    group_key,
    account_sid,
    service_provider_sid,
    until_at,
    single_ns: is_single === 1 ? nanoseconds : wholeGroup,
    acknowledged_at: Date.now(),
    acknowledged_by: actor.name,
  }
  const [added] = await insertIgnoringDuplicates(trx, engine, 'patchbay_alert_acknowledgments', [row])
  if (added === undefined) {
    const stored = trx
      .selectFrom('patchbay_alert_acknowledgments')
      .select('alert_acknowledgment_sid')
      .where('group_key', '=', group_key)
      .where('single_ns', '=', row.single_ns)
      .where('until_at', '=', until_at)
    // A locking read also sees what was committed after this transaction began.
    const existing = await lockForUpdate(engine, stored).executeTakeFirst()
    return existing?.alert_acknowledgment_sid ?? throwApiError('not_found')
  }
  await deleteExcess(write, group)
  const { alert_acknowledgment_sid: sid } = row
  const after = { alert_type: group.alert_type, object_kind: group.object_kind, object_id: group.object_id, until }
  write.record({
    action: 'create',
    kind: 'alert_acknowledgment',
    sid,
    name: group.alert_type,
    owner: group,
    before: null,
    after,
  })
  return sid
}

/**
 * Deletes an acknowledgment, so that its alerts are open again.
 * @throws ApiError `not_found`
 */
export const withdrawAcknowledgment = async ({ trx, record }: WriteTransaction, sid: string): Promise<void> => {
  const row = await trx
    .selectFrom('patchbay_alert_acknowledgments')
    .selectAll()
    .where('alert_acknowledgment_sid', '=', sid)
    .executeTakeFirst()
  if (row === undefined) return throwApiError('not_found')
  const { account_sid, service_provider_sid, until_at, acknowledged_by } = row
  await trx.deleteFrom('patchbay_alert_acknowledgments').where('alert_acknowledgment_sid', '=', sid).execute()
  record({
    action: 'delete',
    kind: 'alert_acknowledgment',
    sid,
    name: '',
    owner: { account_sid, service_provider_sid },
    before: { until: new Date(until_at).toISOString(), acknowledged_by },
    after: null,
  })
}
