import type { Alert } from '@patchbay/contract/alerts'
import type { DestinationKind } from '@patchbay/contract/shared/alert-destinations'
import type { ExpressionBuilder, Selectable, Transaction } from 'kysely'
import { randomUUID } from 'node:crypto'
import { chunk } from '../../lib/chunk.ts'
import { latestDeadline } from '../../lib/clock.ts'
import {
  type Database,
  type EngineName,
  lockForUpdate,
  insertIgnoringDuplicates,
  inTransaction,
} from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { addedByWriter } from '../calls/search-options.ts'
import { writeInstant } from '../calls/nanosecond-timestamps.ts'
import { toAlert } from './to-alert.ts'

/** Alerts on their way to destinations: queued with the alerts themselves, claimed a destination at a time, settled. */

/** Waiting for one destination, and kept of its log. */
export const maxDeliveries = 1000

/** Attempts after the first; who took none of them is given up. */
export const retryMilliseconds = [30_000, 120_000, 600_000, 3_600_000, 21_600_000]

/** Longer than a claimed destination takes; then another process may have it. */
export const claimMilliseconds = 90_000

/** How long all attempts of one alert take. */
const longestWaitMs = retryMilliseconds.reduce((sum, wait) => sum + wait, 0)

const deliveryBatchSize = 500

type StoredAlert = Pick<
  Selectable<Tables['patchbay_alerts']>,
  'account_sid' | 'service_provider_sid' | 'alert_type' | 'raised_at' | 'raised_ns' | 'fingerprint'
>

interface Taker {
  alert_destination_sid: string
  account_sid: string | null
  service_provider_sid: string | null
  types: ReadonlySet<string>
}

/**
 * Whether anything may be sent there: to a webhook, and to an address whose owner has said so. By the text of the address
 * itself, so that no change of it can come between.
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

const takersOf = async (trx: Transaction<Tables>, alerts: readonly StoredAlert[]): Promise<Taker[]> => {
  const sids = (of: 'account_sid' | 'service_provider_sid') => [...new Set(alerts.flatMap((alert) => alert[of] ?? []))]
  const [accounts, providers] = [sids('account_sid'), sids('service_provider_sid')]
  if (accounts.length + providers.length === 0) return []
  const rows = await trx
    .selectFrom('patchbay_alert_destinations')
    .select(['alert_destination_sid', 'account_sid', 'service_provider_sid', 'types'])
    .where('is_active', '=', 1)
    .where(isDeliverable)
    .where((where) =>
      where.or([
        ...(accounts.length > 0 ? [where('account_sid', 'in', accounts)] : []),
        ...(providers.length > 0 ? [where('service_provider_sid', 'in', providers)] : []),
      ]),
    )
    .execute()
  return rows.map((row) => ({ ...row, types: new Set(JSON.parse(row.types) as string[]) }))
}

const takes = ({ account_sid, service_provider_sid, types }: Taker, alert: StoredAlert): boolean =>
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

/** With the alerts that are stored just now: those of one transaction are queued together, or neither is. */
export const queueAlerts = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  alerts: readonly StoredAlert[],
  queued_at: number,
): Promise<void> => {
  for (const taker of await takersOf(trx, alerts)) {
    const { alert_destination_sid } = taker
    const taken = alerts.filter((alert) => takes(taker, alert))
    if (taken.length === 0) continue
    const room = Math.max(0, maxDeliveries - (await countWaiting(trx, alert_destination_sid)))
    const rows = taken.slice(0, room).map(({ raised_at, raised_ns, fingerprint, alert_type }) => ({
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
    // Last, as it holds the row that the sender holds while it looks whether anything waits.
    await trx
      .updateTable('patchbay_alert_destinations')
      .set((set) => ({
        due_at: set.fn.coalesce('due_at', set.val(queued_at)),
        left_out: set('left_out', '+', taken.length - rows.length),
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
  /** of a service provider, encrypted */
  webhook_secret: string | null
  /** of an account; null where the account is gone */
  account_secret: string | null
  minute_at: number
  minute_sent: number
  left_out: number
}

/** The longest time ahead at which a destination may be due or claimed. A time beyond is of a clock that was set back. */
const maxDueAheadMs = Math.max(...retryMilliseconds)

/** Matches destinations that may be claimed: due, and claimed by no process. */
const isDue = (now: number) => (where: ExpressionBuilder<Tables, 'patchbay_alert_destinations'>) =>
  where.and([
    where.or([where('due_at', '<=', now), where('due_at', '>', latestDeadline(now, maxDueAheadMs))]),
    where.or([where('claimed_until', '<=', now), where('claimed_until', '>', latestDeadline(now, claimMilliseconds))]),
    where('is_active', '=', 1),
  ])

export interface DueDestination {
  alert_destination_sid: string
  /** the account or service provider */
  owner: string
  /** The last delivery failed. */
  isFailing: boolean
}

/** Returns the destinations that something is to be sent to, in the order in which they are due: of each owner a few. */
export const dueDestinations = async (
  { db }: Database,
  now: number,
  { limit, limitOfOwner }: { limit: number; limitOfOwner: number },
): Promise<DueDestination[]> => {
  const rows = await db
    .selectFrom('patchbay_alert_destinations')
    .select(['alert_destination_sid', 'account_sid', 'service_provider_sid', 'failing_since'])
    .where(isDue(now))
    .where(isDeliverable)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  const countByOwner = new Map<string, number>()
  return rows.flatMap(({ alert_destination_sid, account_sid, service_provider_sid, failing_since }) => {
    const owner = account_sid ?? service_provider_sid ?? ''
    const count = (countByOwner.get(owner) ?? 0) + 1
    countByOwner.set(owner, count)
    return count > limitOfOwner ? [] : [{ alert_destination_sid, owner, isFailing: failing_since !== null }]
  })
}

/** Of all processes that want it one gets it; undefined for the others, and where its address has changed meanwhile. */
export const claimDestination = async (
  { db }: Database,
  sid: string,
  now: number,
): Promise<ClaimedDestination | undefined> => {
  const claim = randomUUID()
  const { numUpdatedRows } = await db
    .updateTable('patchbay_alert_destinations')
    .set({ claim, claimed_until: now + claimMilliseconds })
    .where('alert_destination_sid', '=', sid)
    .where(isDue(now))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return undefined
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

export interface Waiting {
  delivery_sid: string
  raised_at: number
  raised_ns: number
  fingerprint: string
}

export const waitingFor = ({ db }: Database, sid: string): Promise<Waiting[]> =>
  db
    .selectFrom('patchbay_alert_deliveries')
    .select(['delivery_sid', 'raised_at', 'raised_ns', 'fingerprint'])
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    // The least tried first, so that an alert on which its destination hangs holds up no other.
    .orderBy('attempts')
    .orderBy('queued_at')
    .orderBy('raised_at')
    .orderBy('raised_ns')
    .limit(maxDeliveries)
    .execute()

/** undefined where it is no longer kept */
export const alertOfDelivery = async ({ db }: Database, waiting: Waiting): Promise<Alert | undefined> => {
  const row = await db
    .selectFrom('patchbay_alerts')
    .selectAll()
    .where('raised_at', '=', waiting.raised_at)
    .where('raised_ns', '=', waiting.raised_ns)
    .where('fingerprint', '=', waiting.fingerprint)
    .executeTakeFirst()
  return row && toAlert({ ...row, extra: addedByWriter(row.extra) }, writeInstant(row.raised_at, row.raised_ns))
}

/** What became of alerts that went together. */
export interface Outcome {
  deliveries: readonly string[]
  delivered: boolean
  /** trying it again would change nothing */
  final?: true
  status: number | null
  error: string | null
}

export interface Settlement {
  outcomes: readonly Outcome[]
  minute_at: number
  minute_sent: number
  /** when to look again for what waits, where nothing failed */
  next_at: number
  /** told to somebody */
  left_out: number
}

const note = async (trx: Transaction<Tables>, outcome: Outcome, now: number): Promise<void> => {
  const { delivered, final = false, status, error, deliveries } = outcome
  for (const sids of chunk(deliveries, deliveryBatchSize)) {
    const named = trx.updateTable('patchbay_alert_deliveries').where('delivery_sid', 'in', sids)
    const told = { attempted_at: now, status, error, together: deliveries.length }
    await named.set((set) => ({ ...told, attempts: set('attempts', '+', 1) })).execute()
    if (delivered || final) await named.set({ state: delivered ? 'delivered' : 'given_up' }).execute()
    else await named.where('attempts', '>', retryMilliseconds.length).set({ state: 'given_up' }).execute()
  }
}

/** What is older than the newest thousand that wait no more. */
const forget = async (trx: Transaction<Tables>, sid: string): Promise<void> => {
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

/** Returns the most attempts of an alert that waits, or undefined if none waits. */
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
 * Returns how long a destination is left alone after a failure: by the attempts of what waits, and at least as long as
 * it has been failing, so that alerts that keep arriving do not shorten it.
 */
const backoffAfter = (attempts: number, failingMs: number): number => {
  const byAttempts = retryMilliseconds[Math.max(0, attempts - 1)] ?? 0
  return Math.max(byAttempts, Math.min(failingMs, maxDueAheadMs))
}

/** Alerts that waited as long as all attempts of one alert take are given up with the one that was tried last. */
const giveUpOldest = (trx: Transaction<Tables>, sid: string, error: string | null, now: number) =>
  trx
    .updateTable('patchbay_alert_deliveries')
    .set({ state: 'given_up', error })
    .where('alert_destination_sid', '=', sid)
    .where('state', '=', 'waiting')
    .where('queued_at', '<=', now - longestWaitMs)
    .execute()

/** Notes what came of it and lets the destination go; nothing where another process has claimed it since. */
export const settle = async (
  database: Database,
  { alert_destination_sid: sid, claim }: ClaimedDestination,
  settlement: Settlement,
  now: number,
): Promise<void> => {
  const { outcomes, minute_at, minute_sent, left_out, next_at } = settlement
  const tried = outcomes.findLast(({ final }) => !final)
  const standing = !tried
    ? {}
    : tried.delivered
      ? { last_delivered_at: now, failing_since: null, last_error: null }
      : { last_error: tried.error }
  await inTransaction(database, async (trx) => {
    const mine = trx
      .selectFrom('patchbay_alert_destinations')
      .select('failing_since')
      .where('alert_destination_sid', '=', sid)
      .where('claim', '=', claim)
    const destination = await lockForUpdate(database.engine, mine).executeTakeFirst()
    if (destination === undefined) return
    for (const outcome of outcomes) await note(trx, outcome, now)
    await forget(trx, sid)
    const hasFailed = tried !== undefined && !tried.delivered
    const failingSince = hasFailed ? (destination.failing_since ?? now) : destination.failing_since
    if (hasFailed) await giveUpOldest(trx, sid, tried.error, now)
    const attempts = await getMaxAttempts(trx, sid)
    const isAllSettled = outcomes.every(({ delivered, final }) => delivered || final)
    const next = isAllSettled ? next_at : now + backoffAfter(attempts ?? 0, now - (failingSince ?? now))
    await trx
      .updateTable('patchbay_alert_destinations')
      .set((set) => ({
        failing_since: failingSince,
        ...standing,
        due_at: attempts === undefined ? null : next,
        claim: null,
        claimed_until: 0,
        minute_at,
        minute_sent,
        left_out: set('left_out', '-', left_out),
      }))
      .where('alert_destination_sid', '=', sid)
      .execute()
  })
}
