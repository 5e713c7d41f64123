import { randomUUID } from 'node:crypto'
import type { Alert } from '@patchbay/contract/alerts'
import type { Owner } from '@patchbay/contract/api/access'
import type { DestinationKind } from '@patchbay/contract/shared/destination-kinds'
import { hourMs } from '@patchbay/contract/shared/durations'
import { type ExpressionBuilder, type Selectable, sql, type Transaction } from 'kysely'
import {
  type Database,
  type EngineName,
  insertIgnoringDuplicates,
  inTransaction,
  lockForUpdate,
} from '../../database/engine.ts'
import { createClaimLeases, hasPassed, noLease } from '../../database/leases.ts'
import type { Tables } from '../../database/tables.ts'
import { chunk } from '../../lib/chunk.ts'
import { writeInstant } from '../calls/nanosecond-timestamps.ts'
import { parseExtraFields } from '../calls/search-options.ts'
import { isRecovery } from './alert-payloads.ts'
import { toAlert } from './to-alert.ts'

/**
 * Queue of alert deliveries. Deliveries are queued in the transaction that stores the alerts, claimed per destination,
 * and settled after an attempt.
 */

/** Maximum number of waiting deliveries per destination, and of deliveries kept in its log. */
export const maxDeliveries = 1000

/** Delays before each retry. A delivery whose last retry fails is given up. */
export const retryMs = [30_000, 120_000, 600_000, 3_600_000, 21_600_000]

/** Leases of destinations. They are longer than a process needs to serve one. */
const leases = createClaimLeases({
  table: 'patchbay_alert_destinations',
  key: ['alert_destination_sid'],
  durationMs: 90_000,
})
export const claimMs = leases.durationMs

/** Time from the first to the last attempt of one delivery. */
const maxDeliveryAgeMs = retryMs.reduce((sum, wait) => sum + wait, 0)

const deliveryBatchSize = 500

type StoredAlert = Pick<
  Selectable<Tables['patchbay_alerts']>,
  'account_sid' | 'service_provider_sid' | 'alert_type' | 'raised_at' | 'raised_ns' | 'fingerprint'
>

interface Subscription extends Owner {
  alert_destination_sid: string
  kind: string
  types: ReadonlySet<string>
  once_per_hour: number
}

/**
 * Matches destinations to which Patchbay may deliver: all but email addresses that their owner has not confirmed. The
 * condition compares the address itself, so that a changed address needs a new confirmation.
 */
export const isDeliverable = (where: ExpressionBuilder<Tables, 'patchbay_alert_destinations'>) =>
  where.or([
    where('patchbay_alert_destinations.kind', '!=', 'email'),
    where.exists(
      where
        .selectFrom('patchbay_alert_addresses as address')
        .select('address.target')
        .whereRef('address.alert_destination_sid', '=', 'patchbay_alert_destinations.alert_destination_sid')
        .whereRef('address.target', '=', 'patchbay_alert_destinations.target')
        .where('address.confirmed_at', 'is not', null),
    ),
  ])

const findSubscriptions = async (trx: Transaction<Tables>, alerts: readonly StoredAlert[]): Promise<Subscription[]> => {
  const collectSids = (column: 'account_sid' | 'service_provider_sid') => [
    ...new Set(alerts.flatMap((alert) => alert[column] ?? [])),
  ]
  const [accountSids, providerSids] = [collectSids('account_sid'), collectSids('service_provider_sid')]
  if (accountSids.length + providerSids.length === 0) return []
  const rows = await trx
    .selectFrom('patchbay_alert_destinations')
    .select(['alert_destination_sid', 'account_sid', 'service_provider_sid', 'kind', 'types', 'once_per_hour'])
    .where('is_active', '=', 1)
    .where(isDeliverable)
    .where((where) =>
      where.or([
        ...(accountSids.length > 0 ? [where('account_sid', 'in', accountSids)] : []),
        ...(providerSids.length > 0 ? [where('service_provider_sid', 'in', providerSids)] : []),
      ]),
    )
    // Transactions that lock several destinations lock them in the same order.
    .orderBy('alert_destination_sid')
    .execute()
  return rows.map((row) => ({ ...row, types: new Set(JSON.parse(row.types) as string[]) }))
}

const matches = ({ account_sid, service_provider_sid, types }: Subscription, alert: StoredAlert): boolean =>
  (types.size === 0 || types.has(alert.alert_type)) &&
  (account_sid === null ? service_provider_sid === alert.service_provider_sid : account_sid === alert.account_sid)

const countWaiting = async (trx: Transaction<Tables>, sid: string): Promise<number> => {
  const { waiting } = await trx
    .selectFrom('patchbay_alert_deliveries')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

/**
 * Returns the first alert of each type of which the destination has had no alert within the last hour. Locks the
 * destination, so that of two processes with an alert of the same type only one queues it. PagerDuty gets every recovery:
 * it ends an incident, which would stay open without it.
 */
const selectFirstOfHour = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  { alert_destination_sid: sid, kind }: Subscription,
  alerts: readonly StoredAlert[],
  queued_at: number,
): Promise<StoredAlert[]> => {
  const destinationRow = trx.selectFrom('patchbay_alert_destinations').select('alert_destination_sid')
  await lockForUpdate(engine, destinationRow.where('alert_destination_sid', '=', sid)).execute()
  const selectRecent = trx
    .selectFrom('patchbay_alert_deliveries')
    .select('alert_type')
    .where('alert_destination_sid', '=', sid)
    .where('queued_at', '>', queued_at - hourMs)
  // A locking read also sees what was committed after this transaction began.
  const seenTypes = new Set((await lockForUpdate(engine, selectRecent).execute()).map(({ alert_type }) => alert_type))
  return alerts.filter((alert) => {
    const isFirst = !seenTypes.has(alert.alert_type)
    seenTypes.add(alert.alert_type)
    return isFirst || (kind === 'pagerduty' && isRecovery(alert))
  })
}

/**
 * Queues deliveries of new alerts. Runs in the transaction that stores the alerts, so that either both are stored or
 * neither is.
 */
export const queueAlerts = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  alerts: readonly StoredAlert[],
  queued_at: number,
): Promise<void> => {
  for (const subscription of await findSubscriptions(trx, alerts)) {
    const { alert_destination_sid } = subscription
    const allMatching = alerts.filter((alert) => matches(subscription, alert))
    if (allMatching.length === 0) continue
    const matchingAlerts = subscription.once_per_hour
      ? await selectFirstOfHour(trx, engine, subscription, allMatching, queued_at)
      : allMatching
    if (matchingAlerts.length === 0) continue
    const freeCapacity = Math.max(0, maxDeliveries - (await countWaiting(trx, alert_destination_sid)))
    const rows = matchingAlerts.slice(0, freeCapacity).map(({ raised_at, raised_ns, fingerprint, alert_type }) => ({
      delivery_sid: randomUUID(),
      alert_destination_sid,
      queued_at,
      raised_at,
      raised_ns,
      fingerprint,
      alert_type,
      state: 'waiting',
      attempts: 0,
      together: 1,
    }))
    if (rows.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_alert_deliveries', rows)
    // This update comes last because it locks the destination row, which the sender also locks while it checks for
    // waiting deliveries.
    await trx
      .updateTable('patchbay_alert_destinations')
      .set((set) => ({
        due_at: set.fn.coalesce('due_at', set.val(queued_at)),
        left_out: set('left_out', '+', matchingAlerts.length - rows.length),
      }))
      .where('alert_destination_sid', '=', alert_destination_sid)
      .execute()
  }
}

export interface ClaimedDestination {
  alert_destination_sid: string
  claim: string
  kind: DestinationKind
  target: string
  name: string
  account_sid: string | null
  /** Encrypted. Set for destinations of a service provider only. */
  webhook_secret: string | null
  /** Secret of the account. Null if the account was deleted, and for destinations of a service provider. */
  account_secret: string | null
  minute_at: number
  minute_sent: number
  left_out: number
}

/** The furthest time ahead at which a destination can be due. */
const maxDueAheadMs = Math.max(...retryMs)

/** Matches destinations that are due and active. */
const isDue = (now: number) => sql<boolean>`${hasPassed('due_at', now, maxDueAheadMs)} and is_active = 1`

export interface DueDestination {
  alert_destination_sid: string
  /** Sid of the account or service provider. */
  owner: string
  /** True if the last delivery failed. */
  isFailing: boolean
}

/**
 * Returns the destinations that have deliveries due, ordered by due time, with at most `maxPerTenant` destinations per
 * tenant.
 */
export const findDueDestinations = async (
  { db }: Database,
  now: number,
  { limit, maxPerTenant }: { limit: number; maxPerTenant: number },
): Promise<DueDestination[]> => {
  const rows = await db
    .selectFrom('patchbay_alert_destinations')
    .select(['alert_destination_sid', 'account_sid', 'service_provider_sid', 'failing_since'])
    .where(isDue(now))
    .where(leases.isFree(now))
    .where(isDeliverable)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  const countByOwner = new Map<string, number>()
  return rows.flatMap(({ alert_destination_sid, account_sid, service_provider_sid, failing_since }) => {
    const owner = account_sid ?? service_provider_sid ?? ''
    const count = (countByOwner.get(owner) ?? 0) + 1
    countByOwner.set(owner, count)
    return count > maxPerTenant ? [] : [{ alert_destination_sid, owner, isFailing: failing_since !== null }]
  })
}

/**
 * Claims a destination for this process. Returns undefined if another process has claimed it, or if its address has
 * changed and is not confirmed.
 */
export const claimDestination = async (
  { db }: Database,
  sid: string,
  now: number,
): Promise<ClaimedDestination | undefined> => {
  const claim = await leases.claim(db, { alert_destination_sid: sid }, now, { condition: isDue(now) })
  if (claim === undefined) return undefined
  const row = await db
    .selectFrom('patchbay_alert_destinations')
    .leftJoin('accounts', 'accounts.account_sid', 'patchbay_alert_destinations.account_sid')
    .select([
      'patchbay_alert_destinations.alert_destination_sid',
      'patchbay_alert_destinations.kind',
      'patchbay_alert_destinations.target',
      'patchbay_alert_destinations.name',
      'patchbay_alert_destinations.account_sid',
      'patchbay_alert_destinations.webhook_secret',
      'accounts.webhook_secret as account_secret',
      'patchbay_alert_destinations.minute_at',
      'patchbay_alert_destinations.minute_sent',
      'patchbay_alert_destinations.left_out',
    ])
    .where('patchbay_alert_destinations.alert_destination_sid', '=', sid)
    .where('patchbay_alert_destinations.claim', '=', claim)
    .where(isDeliverable)
    .executeTakeFirst()
  return row && { ...row, kind: row.kind as DestinationKind, claim }
}

export interface WaitingDelivery {
  delivery_sid: string
  raised_at: number
  raised_ns: number
  fingerprint: string
}

/** Returns the oldest deliveries of a destination that are waiting. */
export const findWaitingDeliveries = ({ db }: Database, sid: string): Promise<WaitingDelivery[]> =>
  db
    .selectFrom('patchbay_alert_deliveries')
    .select(['delivery_sid', 'raised_at', 'raised_ns', 'fingerprint'])
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    // Alerts with the fewest attempts come first, so that an alert that makes the destination hang does not block the
    // others.
    .orderBy('attempts')
    .orderBy('queued_at')
    .orderBy('raised_at')
    .orderBy('raised_ns')
    .limit(maxDeliveries)
    .execute()

/** Returns undefined if the alert has been deleted. */
export const findAlertOfDelivery = async ({ db }: Database, waiting: WaitingDelivery): Promise<Alert | undefined> => {
  const row = await db
    .selectFrom('patchbay_alerts')
    .selectAll()
    .where('raised_at', '=', waiting.raised_at)
    .where('raised_ns', '=', waiting.raised_ns)
    .where('fingerprint', '=', waiting.fingerprint)
    .executeTakeFirst()
  return row && toAlert({ ...row, extra: parseExtraFields(row.extra) }, writeInstant(row.raised_at, row.raised_ns))
}

/** Result of one message, which applies to all deliveries in it. */
export interface Outcome {
  deliveries: readonly string[]
  delivered: boolean
  /** True if a retry cannot succeed. */
  final?: true
  /** The alert no longer exists, so nothing was sent. The result says nothing about the destination. */
  skipped?: true
  status: number | null
  error: string | null
  /** The time in milliseconds that the receiver asks to wait before the next request. */
  retryAfterMs?: number
}

export interface DeliveryResult {
  outcomes: readonly Outcome[]
  minute_at: number
  minute_sent: number
  /** When to check the destination again if no delivery failed. */
  next_at: number
  /** Number of omitted alerts that a delivered digest has reported. */
  left_out: number
}

const recordOutcome = async (trx: Transaction<Tables>, outcome: Outcome, now: number): Promise<void> => {
  const { delivered, final = false, status, error, deliveries } = outcome
  for (const sids of chunk(deliveries, deliveryBatchSize)) {
    const updateDeliveries = trx.updateTable('patchbay_alert_deliveries').where('delivery_sid', 'in', sids)
    const result = { attempted_at: now, status, error, together: deliveries.length }
    await updateDeliveries.set((set) => ({ ...result, attempts: set('attempts', '+', 1) })).execute()
    if (delivered || final) await updateDeliveries.set({ state: delivered ? 'delivered' : 'given_up' }).execute()
    else await updateDeliveries.where('attempts', '>', retryMs.length).set({ state: 'given_up' }).execute()
  }
}

/** Deletes settled deliveries that are older than the newest `maxDeliveries`. */
const deleteOldDeliveries = async (trx: Transaction<Tables>, sid: string): Promise<void> => {
  const last = await trx
    .selectFrom('patchbay_alert_deliveries')
    .select('queued_at')
    .where('alert_destination_sid', '=', sid)
    .orderBy('queued_at', 'desc')
    .limit(1)
    .offset(maxDeliveries)
    .executeTakeFirst()
  if (last === undefined) return
  await trx
    .deleteFrom('patchbay_alert_deliveries')
    .where('alert_destination_sid', '=', sid)
    .where('state', '!=', 'waiting')
    .where('queued_at', '<=', last.queued_at)
    .execute()
}

/** Returns the highest attempt count of the waiting deliveries, or undefined if none is waiting. */
const getMaxAttempts = async (trx: Transaction<Tables>, sid: string): Promise<number | undefined> => {
  const row = await trx
    .selectFrom('patchbay_alert_deliveries')
    .select('attempts')
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    .orderBy('attempts', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.attempts
}

/**
 * Returns the delay before the next attempt after a failure. It depends on the number of attempts and is at least as
 * long as the destination has been failing (up to the longest retry delay), so that new alerts do not shorten it.
 */
const backoffAfter = (attempts: number, failingMs: number): number => {
  const byAttempts = retryMs[Math.max(0, attempts - 1)] ?? 0
  return Math.max(byAttempts, Math.min(failingMs, maxDueAheadMs))
}

/** Returns the delay that the receiver asked for, up to the longest retry delay. */
const requestedDelay = (outcomes: readonly Outcome[]): number =>
  Math.min(Math.max(0, ...outcomes.map(({ retryAfterMs = 0 }) => retryAfterMs)), maxDueAheadMs)

/** Gives up deliveries that have waited longer than all retries of one delivery take. */
const giveUpOldest = (trx: Transaction<Tables>, sid: string, error: string | null, now: number) =>
  trx
    .updateTable('patchbay_alert_deliveries')
    .set({ state: 'given_up', error })
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    .where('queued_at', '<=', now - maxDeliveryAgeMs)
    .execute()

/**
 * Records the outcomes and releases the claim. Does nothing if another process has claimed the destination in the
 * meantime.
 */
export const recordResult = async (
  database: Database,
  { alert_destination_sid: sid, claim }: ClaimedDestination,
  result: DeliveryResult,
  now: number,
): Promise<void> => {
  const { outcomes, minute_at, minute_sent, left_out, next_at } = result
  const lastOutcome = outcomes.findLast(({ skipped }) => !skipped)
  const statusUpdate = !lastOutcome
    ? {}
    : lastOutcome.delivered
      ? { last_delivered_at: now, failing_since: null, last_error: null }
      : { last_error: lastOutcome.error }
  await inTransaction(database, async (trx) => {
    const claimedRow = trx
      .selectFrom('patchbay_alert_destinations')
      .select('failing_since')
      .where('alert_destination_sid', '=', sid)
      .where('claim', '=', claim)
    const destination = await lockForUpdate(database.engine, claimedRow).executeTakeFirst()
    if (destination === undefined) return
    for (const outcome of outcomes) await recordOutcome(trx, outcome, now)
    await deleteOldDeliveries(trx, sid)
    const hasFailed = lastOutcome !== undefined && !lastOutcome.delivered
    const failingSince = hasFailed ? (destination.failing_since ?? now) : destination.failing_since
    if (hasFailed) await giveUpOldest(trx, sid, lastOutcome.error, now)
    const attempts = await getMaxAttempts(trx, sid)
    const isAllSettled = outcomes.every(({ delivered, final }) => delivered || final)
    const backoff = backoffAfter(attempts ?? 0, now - (failingSince ?? now))
    const next = isAllSettled ? next_at : now + Math.max(backoff, requestedDelay(outcomes))
    await trx
      .updateTable('patchbay_alert_destinations')
      .set((set) => ({
        failing_since: failingSince,
        ...statusUpdate,
        due_at: attempts === undefined ? null : next,
        ...noLease,
        minute_at,
        minute_sent,
        left_out: set('left_out', '-', left_out),
      }))
      .where('alert_destination_sid', '=', sid)
      .execute()
  })
}
