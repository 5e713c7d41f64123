import { randomUUID } from 'node:crypto'
import { type WatchedState, watchedStates } from '@patchbay/contract/carrier-health'
import { sql, type Transaction } from 'kysely'
import type { AlertRecord } from '../call-data/alerts/alert-record.ts'
import { storeAlerts } from '../call-data/alerts/sql-alerts.ts'
import {
  acquireNamedLock,
  type Database,
  type EngineName,
  insertIgnoringDuplicates,
  inTransaction,
  lockForUpdate,
} from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import { chunk } from '../lib/chunk.ts'
import {
  formatHealthAlert,
  getAlertType,
  type HealthAlertType,
  isAlertDue,
} from '../resources/voip-carriers/health-transitions.ts'

/** Stores the health of carriers that the job observes. */

/** A SIP gateway or the registration of a carrier, with its current state. */
export interface Watched {
  watched_sid: string
  voip_carrier_sid: string
  /** Address of the gateway. Null for a registration. */
  address: string | null
  state: WatchedState
  reason: string | null
}

interface Change extends Watched {
  from: WatchedState | null
}

interface RecordOptions {
  database: Database
  /** Whether alerts are stored in Patchbay's own table. */
  raisesAlerts: boolean
}

/** Rows per transaction, so that other work is not delayed. */
const batchSize = 200

/** States that are a part of the history even if they began before the first check. */
const failures: ReadonlySet<WatchedState> = new Set(['failing', 'registration_failing', 'registration_expired'])

/** Returns a stored state. A newer version can have stored one that this version does not know. */
const toState = (text: string): WatchedState | null => watchedStates.find((state) => state === text) ?? null

const insertChanges = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  changes: readonly Change[],
  changed_at: number,
): Promise<void> => {
  const rows = changes.map(({ watched_sid, voip_carrier_sid, address, from, state, reason }) => ({
    change_sid: randomUUID(),
    voip_carrier_sid,
    watched_sid,
    address,
    from_state: from,
    to_state: state,
    reason: reason?.slice(0, 255) ?? null,
    changed_at,
  }))
  if (rows.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_carrier_health_changes', rows)
}

/** Adds what is watched for the first time. */
const addFirst = ({ engine, ...database }: Database, watched: readonly Watched[], now: number): Promise<void> =>
  inTransaction(database, async (trx) => {
    const rows = watched.map(({ watched_sid, state }) => ({ watched_sid, state }))
    const added = await insertIgnoringDuplicates(trx, engine, 'patchbay_carrier_health_states', rows)
    const sids = new Set(added.map(({ watched_sid }) => watched_sid))
    const failing = watched.filter(({ watched_sid, state }) => sids.has(watched_sid) && failures.has(state))
    await insertChanges(
      trx,
      engine,
      failing.map((one) => ({ ...one, from: null })),
      now,
    )
  })

/** Returns the alerts of changes. A carrier without an owner raises none. */
const createAlerts = async (
  trx: Transaction<Tables>,
  changes: readonly (Change & { type: HealthAlertType })[],
  now: number,
): Promise<AlertRecord[]> => {
  if (changes.length === 0) return []
  const carriers = await trx
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select(['voip_carriers.voip_carrier_sid', 'voip_carriers.name', 'voip_carriers.account_sid'])
    .select(({ fn }) =>
      fn.coalesce('accounts.service_provider_sid', 'voip_carriers.service_provider_sid').as('service_provider_sid'),
    )
    .where('voip_carriers.voip_carrier_sid', 'in', [...new Set(changes.map((change) => change.voip_carrier_sid))])
    .execute()
  return changes.flatMap(({ type, watched_sid, voip_carrier_sid, address, state: to, reason }, index) => {
    const carrier = carriers.find((candidate) => candidate.voip_carrier_sid === voip_carrier_sid)
    if (carrier === undefined || (carrier.account_sid === null && carrier.service_provider_sid === null)) return []
    const { account_sid, service_provider_sid, name: carrierName } = carrier
    const gateway: Record<string, string> = address === null ? {} : { sip_gateway_sid: watched_sid }
    return [
      {
        // The alerts of a check have different times.
        time: BigInt(now) * 1_000_000n + BigInt(index),
        account_sid,
        service_provider_sid,
        alert_type: type,
        message: formatHealthAlert(type, { carrierName, address, to, reason }),
        detail: null,
        target_sid: null,
        vendor: null,
        extra: { voip_carrier_sid, ...gateway },
      },
    ]
  })
}

const isFailure = (type: HealthAlertType): boolean => type === 'gateway-failing' || type === 'registration-lost'

/**
 * Records changed states with their alerts in one transaction. The rows are locked and compared again, so that a change
 * that another process has recorded meanwhile is not recorded twice.
 */
const recordChanged = ({ database, raisesAlerts }: RecordOptions, watched: readonly Watched[], now: number) =>
  inTransaction(database, async (trx) => {
    const { engine } = database
    const sids = watched.map(({ watched_sid }) => watched_sid)
    const rows = trx
      .selectFrom('patchbay_carrier_health_states')
      .selectAll()
      .where('watched_sid', 'in', sids)
      .orderBy('watched_sid')
    const stateRows = new Map((await lockForUpdate(engine, rows).execute()).map((row) => [row.watched_sid, row]))
    const changes: Change[] = []
    const alerts: (Change & { type: HealthAlertType })[] = []
    for (const one of watched) {
      const before = stateRows.get(one.watched_sid)
      if (before === undefined || before.state === one.state) continue
      const change = { ...one, from: toState(before.state) }
      changes.push(change)
      const type = getAlertType(change.from, one.state)
      const column = type !== undefined && isFailure(type) ? 'failure_alerted_at' : 'recovery_alerted_at'
      const isRaised = raisesAlerts && type !== undefined && isAlertDue(before[column], now)
      if (isRaised) alerts.push({ ...change, type })
      await trx
        .updateTable('patchbay_carrier_health_states')
        .set({ state: one.state, ...(isRaised ? { [column]: now } : {}) })
        .where('watched_sid', '=', one.watched_sid)
        .execute()
    }
    await insertChanges(trx, engine, changes, now)
    const records = await createAlerts(trx, alerts, now)
    if (records.length > 0) await storeAlerts(trx, engine, records)
  })

/** Compares states with the last known ones, and records the changes. `now` is in milliseconds since the Unix epoch. */
export const recordStates = async (options: RecordOptions, watched: readonly Watched[], now: number): Promise<void> => {
  const { database } = options
  for (const some of chunk(watched, batchSize)) {
    const sids = some.map(({ watched_sid }) => watched_sid)
    const rows = await database.db
      .selectFrom('patchbay_carrier_health_states')
      .select(['watched_sid', 'state'])
      .where('watched_sid', 'in', sids)
      .execute()
    const states = new Map(rows.map(({ watched_sid, state }) => [watched_sid, state]))
    const first = some.filter(({ watched_sid }) => !states.has(watched_sid))
    const changed = some.filter(({ watched_sid, state }) => (states.get(watched_sid) ?? state) !== state)
    if (first.length > 0) await addFirst(database, first, now)
    if (changed.length > 0) await recordChanged(options, changed, now)
  }
}

/** Checks that are further apart than this many intervals leave a gap in the watch. */
const missedIntervals = 4

/** Extends the current period of the watch, or begins another one if the last check was too long ago. */
export const extendWatch = ({ engine, ...database }: Database, now: number, intervalMs: number): Promise<void> =>
  inTransaction(database, async (trx) => {
    await acquireNamedLock(trx, engine, 'watch of carriers')
    const last = await trx
      .selectFrom('patchbay_carrier_health_watches')
      .selectAll()
      .orderBy('until_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (last !== undefined && last.until_at >= now) return
    if (last === undefined || now - last.until_at > missedIntervals * intervalMs)
      await trx.insertInto('patchbay_carrier_health_watches').values({ started_at: now, until_at: now }).execute()
    else
      await trx
        .updateTable('patchbay_carrier_health_watches')
        .set({ until_at: now })
        .where('started_at', '=', last.started_at)
        .execute()
  })

/** Deletes the states of gateways and carriers that no longer exist. */
export const removeOrphanedStates = async ({ db }: Database): Promise<void> => {
  await sql`
    DELETE FROM patchbay_carrier_health_states
    WHERE NOT EXISTS (SELECT 1 FROM sip_gateways WHERE sip_gateways.sip_gateway_sid = patchbay_carrier_health_states.watched_sid)
      AND NOT EXISTS (SELECT 1 FROM voip_carriers WHERE voip_carriers.voip_carrier_sid = patchbay_carrier_health_states.watched_sid)
  `.execute(db)
}
