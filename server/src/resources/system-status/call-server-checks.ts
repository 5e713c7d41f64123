import type { ComponentPart } from '@patchbay/contract/system-status'
import type { CallServers, PlatformHealth, RegisteredServers } from '../../adapters/platform-health/platform-health.ts'
import type { Database } from '../../database/engine.ts'
import { type Check, type Finding, limitParts, notConfigured } from './finding.ts'
import { needsRedis } from './storage-checks.ts'

/** Checks of the servers that run calls, as they are registered in Redis and in the database. */

/** SBCs update their row every few seconds. An older heartbeat means that the SBC does not respond. */
const heartbeatLimitMs = 2 * 60_000

/** Maximum number of addresses that are read. */
const maxAddresses = 500

interface SbcRow {
  ipv4: string
  port: number | null
  last_updated: string | null
}

const toSbcPart = ({ ipv4, port, last_updated }: SbcRow, now: number): ComponentPart => {
  const name = port === null ? ipv4 : `${ipv4}:${port}`
  if (last_updated === null)
    return {
      name,
      state: 'unknown',
      detail: 'The address was entered by hand, so it has no heartbeat.',
      last_contact: null,
    }
  const isCurrent = now - Date.parse(last_updated) <= heartbeatLimitMs
  return {
    name,
    state: isCurrent ? 'ok' : 'failing',
    detail: isCurrent ? null : 'No heartbeat for more than 2 minutes.',
    last_contact: last_updated,
  }
}

const latest = (parts: readonly ComponentPart[]): string | null =>
  parts.reduce<string | null>(
    (newest, { last_contact }) =>
      last_contact !== null && (newest === null || last_contact > newest) ? last_contact : newest,
    null,
  )

const formatCount = (count: number, [one, many]: readonly [string, string]): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

const sbcNouns = ['SBC', 'SBCs'] as const

/**
 * Judges the SBCs by their heartbeats in the database and by their registration in Redis.
 * @param registered null if Redis cannot be read
 */
export const judgeSbcs = (rows: readonly SbcRow[], registered: RegisteredServers | null, now: number): Finding => {
  const parts = rows.map((row) => toSbcPart(row, now)).sort((one, other) => one.name.localeCompare(other.name))
  const silent = parts.filter(({ state }) => state === 'failing')
  const current = parts.filter(({ state }) => state === 'ok')
  const all = {
    ...limitParts([...silent, ...parts.filter((part) => !silent.includes(part))]),
    last_contact: latest(parts),
  }
  const inRedis = registered === null ? '' : ` ${formatCount(registered.count, sbcNouns)} registered in Redis.`
  if (silent.length > 0)
    return {
      state: current.length > 0 ? 'warning' : 'failing',
      detail: `${formatCount(silent.length, sbcNouns)} of ${parts.length} sent no heartbeat for 2 minutes.${inRedis}`,
      ...all,
    }
  if (current.length > 0)
    return {
      state: 'ok',
      detail: `${formatCount(current.length, ['SBC sends', 'SBCs send'])} heartbeats.${inRedis}`,
      ...all,
    }
  if (registered !== null && registered.count > 0)
    return { state: 'ok', detail: inRedis.trim(), ...limitParts(toParts(registered), registered.count) }
  if (parts.length > 0)
    return {
      state: 'unknown',
      detail: `The addresses were entered by hand, and no SBC sent a heartbeat.${inRedis}`,
      ...all,
    }
  return registered === null
    ? notConfigured('No SBC has reported its address, and none was entered by hand.')
    : { state: 'failing', detail: 'No SBC is registered in Redis, and none has reported its address.' }
}

const toParts = ({ members }: RegisteredServers, state: ComponentPart['state'] = 'ok', detail: string | null = null) =>
  members.map((name): ComponentPart => ({ name, state, detail, last_contact: null }))

const featureServerNouns = ['feature server is', 'feature servers are'] as const

/**
 * Judges the feature servers by their registration.
 * @param isBehindService whether Kubernetes distributes the calls, so that the servers need not register
 */
export const judgeFeatureServers = (
  { featureServers, drainedFeatureServers: drained }: Pick<CallServers, 'featureServers' | 'drainedFeatureServers'>,
  isBehindService: boolean,
): Finding => {
  const isDrained = new Set(drained.members)
  const active = featureServers.members.filter((member) => !isDrained.has(member))
  // A server that drains is still listed as active by some versions of the platform.
  const activeCount = featureServers.count - (featureServers.members.length - active.length)
  const parts = limitParts(
    [
      ...toParts({ ...featureServers, members: active }),
      ...toParts(drained, 'warning', 'Drained: finishes its calls and accepts no new ones.'),
    ],
    activeCount + drained.count,
  )
  const also = drained.count === 0 ? '' : ` ${drained.count.toLocaleString('en')} drained.`
  if (activeCount > 0)
    return { state: 'ok', detail: `${formatCount(activeCount, featureServerNouns)} active.${also}`, ...parts }
  if (drained.count > 0)
    return { state: 'failing', detail: 'All feature servers are drained, so new calls are rejected.', ...parts }
  return isBehindService
    ? { state: 'unknown', detail: 'No feature server is registered in Redis. Kubernetes distributes the calls.' }
    : { state: 'failing', detail: 'No feature server is registered in Redis, so the SBCs reject every call.' }
}

/** Judges the RTP engines by their registration. */
export const judgeRtpEngines = (engines: RegisteredServers): Finding =>
  engines.count > 0
    ? {
        state: 'ok',
        detail: `${formatCount(engines.count, ['RTP engine is', 'RTP engines are'])} registered in Redis.`,
        ...limitParts(toParts(engines), engines.count),
      }
    : {
        state: 'unknown',
        detail: 'No RTP engine is registered in Redis. SBCs with JAMBONES_RTPENGINES use a fixed list instead.',
      }

interface CallServerSources {
  database: Database
  health: PlatformHealth | undefined
  /** Reads the call servers in Redis once for all checks. */
  readServers: () => Promise<CallServers>
  isBehindService: boolean
}

/** Creates the checks of SBCs, feature servers, and RTP engines. */
export const createCallServerChecks = ({ database, health, readServers, isBehindService }: CallServerSources) => {
  const readSbcs = () =>
    database.db
      .selectFrom('sbc_addresses')
      .select(['ipv4', 'port', 'last_updated'])
      .orderBy('last_updated', 'desc')
      .limit(maxAddresses)
      .execute()
  return {
    sbcs: async () => {
      // The heartbeats in the database are enough while Redis does not respond.
      const readRegistered = async () => (health === undefined ? null : (await readServers()).sbcs)
      // At the same time, so that a Redis that hangs is not reported as a database that hangs.
      const [registered, sbcs] = await Promise.all([readRegistered().catch(() => null), readSbcs()])
      return judgeSbcs(sbcs, registered, Date.now())
    },
    'feature-servers': async () =>
      health === undefined ? needsRedis('feature servers') : judgeFeatureServers(await readServers(), isBehindService),
    'rtp-engines': async () =>
      health === undefined ? needsRedis('RTP engines') : judgeRtpEngines((await readServers()).rtpEngines),
  } satisfies Record<string, Check>
}
