import type { WatchedState } from '@patchbay/contract/carrier-health'
import { hourMs } from '@patchbay/contract/shared/durations'
import type { PlatformHealth } from '../adapters/platform-health/platform-health.ts'
import { type Counters, tryConsume } from '../auth/counters/counters.ts'
import type { Captures } from '../call-data/captures/captures.ts'
import type { Database } from '../database/engine.ts'
import { throttle } from '../lib/throttle.ts'
import { withTimeout } from '../lib/timeout.ts'
import { createRegistrationReader } from '../resources/shared/registration-health.ts'
import { type GatewayRow, judgeGateway } from '../resources/voip-carriers/carrier-health-rules.ts'
import { toWatchedGatewayState, toWatchedRegistrationState } from '../resources/voip-carriers/health-transitions.ts'
import { extendWatch, recordStates, removeOrphanedStates, type Watched } from './carrier-health-store.ts'

/** Compares the health of carriers with the last known one, and records changes and alerts. */

/** Interval of the checks. The SBCs write the failures of pings about once per minute. */
export const watchIntervalMs = 30_000

/** Seconds in which only one process checks. Shorter than the interval, whose timers are not exact. */
const claimSeconds = 25

const pageSize = 1000

/** Maximum numbers of gateways and of registrations per check. */
const maxGateways = 100_000
const maxRegistrations = 100_000

/** Longer than Redis needs for the failures of a page. */
const redisTimeoutSeconds = 5

export interface HealthWatch {
  database: Database
  /** Undefined without Redis. Then only registrations are checked. */
  health: PlatformHealth | undefined
  counters: Counters
  pingTtlSeconds: number
  captures: Captures
  /** Whether alerts are stored in Patchbay's own table. */
  raisesAlerts: boolean
}

const readGateways = ({ reader }: Database, after: string) =>
  reader
    .selectFrom('sip_gateways')
    .innerJoin('voip_carriers', 'voip_carriers.voip_carrier_sid', 'sip_gateways.voip_carrier_sid')
    .select([
      'sip_gateways.sip_gateway_sid',
      'sip_gateways.voip_carrier_sid',
      'sip_gateways.ipv4',
      'sip_gateways.port',
      'sip_gateways.outbound',
      'sip_gateways.is_active',
      'sip_gateways.send_options_ping',
      'voip_carriers.is_active as is_carrier_active',
    ])
    .where('sip_gateways.sip_gateway_sid', '>', after)
    .orderBy('sip_gateways.sip_gateway_sid')
    .limit(pageSize)
    .execute()

const readRegistrations = ({ reader }: Database, after: string) =>
  reader
    .selectFrom('voip_carriers')
    .select(['voip_carrier_sid', 'register_status'])
    .where('requires_register', '=', 1)
    .where('is_active', '=', 1)
    .where('voip_carrier_sid', '>', after)
    .orderBy('voip_carrier_sid')
    .limit(pageSize)
    .execute()

const formatAddress = ({ ipv4, port }: Pick<GatewayRow, 'ipv4' | 'port'>): string =>
  port === null ? ipv4 : `${ipv4}:${port}`

/** Returns the gateway or registration with its state, or nothing if the state is not known. */
const toWatched = (watched: Omit<Watched, 'state'>, state: WatchedState | undefined): Watched[] =>
  state === undefined ? [] : [{ ...watched, state }]

/**
 * Creates the job. It runs once per interval, whatever the number of processes. If Redis does not respond, nothing is
 * compared, and the time until the next check counts as not watched.
 */
export const createHealthWatch = (watch: HealthWatch, now: () => number = Date.now): (() => Promise<void>) => {
  const { database, health, counters, pingTtlSeconds, captures } = watch
  const readHealth = createRegistrationReader(captures)
  const removeOrphans = throttle(hourMs, () => removeOrphanedStates(database))

  const checkGateways = async (platformHealth: PlatformHealth): Promise<void> => {
    let after = ''
    for (let count = 0; count < maxGateways; count += pageSize) {
      const rows = await readGateways(database, after)
      const sids = rows.map(({ sip_gateway_sid }) => sip_gateway_sid)
      const failures = await withTimeout(
        platformHealth.failingGateways(sids),
        redisTimeoutSeconds,
        () => new Error('Redis does not respond'),
      )
      const context = { failures, pingTtlMs: pingTtlSeconds * 1000, now: now() }
      const watched = rows.flatMap(({ is_carrier_active, ...row }) => {
        const { state } = judgeGateway(row, { ...context, isCarrierActive: is_carrier_active === 1 })
        const { sip_gateway_sid: watched_sid, voip_carrier_sid } = row
        const gateway = { watched_sid, voip_carrier_sid, address: formatAddress(row), reason: null }
        return toWatched(gateway, toWatchedGatewayState(state))
      })
      await recordStates(watch, watched, now())
      if (rows.length < pageSize) return
      after = sids.at(-1) ?? after
    }
  }

  const checkRegistrations = async (): Promise<void> => {
    let after = ''
    for (let count = 0; count < maxRegistrations; count += pageSize) {
      const rows = await readRegistrations(database, after)
      const watched = [...(await readHealth(rows, now()))].flatMap(([voip_carrier_sid, { state, reason }]) => {
        const registration = { watched_sid: voip_carrier_sid, voip_carrier_sid, address: null, reason }
        return toWatched(registration, toWatchedRegistrationState(state))
      })
      await recordStates(watch, watched, now())
      if (rows.length < pageSize) return
      after = rows.at(-1)?.voip_carrier_sid ?? after
    }
  }

  return async () => {
    if (!(await tryConsume(counters, { counter: 'carrier-health-watch', max: 1, seconds: claimSeconds }))) return
    await checkRegistrations()
    if (health !== undefined) await checkGateways(health)
    await extendWatch(database, now(), watchIntervalMs)
    await removeOrphans()
  }
}
