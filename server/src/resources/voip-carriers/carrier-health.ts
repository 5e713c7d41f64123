import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import {
  type CarrierHealth,
  type CarrierHealthSummary,
  type GatewayHealth,
  maxHealthGateways,
} from '@patchbay/contract/carrier-health'
import { hourMs } from '@patchbay/contract/shared/durations'
import type { PlatformHealth } from '../../adapters/platform-health/platform-health.ts'
import type { CallActivity } from '../../call-data/calls/call-activity.ts'
import { toHourNumber } from '../../call-data/calls/call-counts.ts'
import type { Captures } from '../../call-data/captures/captures.ts'
import type { Database } from '../../database/engine.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { createRegistrationReader } from '../shared/registration-health.ts'
import { type Failures, type GatewayRow, judgeCarrier, judgeGateway } from './carrier-health-rules.ts'
import { isUsable } from './carriers-with-gateways.ts'

/** Reads the health of carriers from the database and from Redis. */

/** Maximum number of gateways whose failures are read for one request. */
const maxGateways = 10_000

/** The health is a supplement to lists and forms, so it does not wait longer for Redis or the store of call records. */
const timeoutSeconds = 1.5

export interface CarrierHealthSources {
  database: Database
  /** Undefined without Redis. */
  health: PlatformHealth | undefined
  callActivity: Pick<CallActivity, 'countByTrunk'>
  pingTtlSeconds: number
  captures: Captures
}

interface CarrierRow {
  voip_carrier_sid: string
  name: string
  account_sid: string | null
  service_provider_sid: string | null
  is_active: 0 | 1
  requires_register: 0 | 1
  register_status: string | null
}

/** Account users see the calls of their account only, even over carriers that all accounts share. */
const getCallOwner = (actor: Actor, { account_sid, service_provider_sid }: CarrierRow): string =>
  (actor.scope === 'account' ? actor.account_sid : (account_sid ?? service_provider_sid)) ?? ''

interface Calls {
  attempts: number
  answered: number
}

const toKey = (owner_sid: string, trunk: string): string => `${owner_sid} ${trunk}`

const groupByCarrier = (gateways: readonly GatewayRow[]): ReadonlyMap<string, readonly GatewayRow[]> => {
  const groups = new Map<string, GatewayRow[]>()
  for (const row of gateways) {
    const group = groups.get(row.voip_carrier_sid)
    if (group === undefined) groups.set(row.voip_carrier_sid, [row])
    else group.push(row)
  }
  return groups
}

/** Creates a reader for the health of carriers. */
export const createCarrierHealth = ({
  database,
  health,
  callActivity,
  pingTtlSeconds,
  captures,
}: CarrierHealthSources) => {
  const { reader } = database
  const readRegistrations = createRegistrationReader(captures)

  const readCarriers = (actor: Actor, sids: readonly string[]): Promise<CarrierRow[]> =>
    reader
      .selectFrom('voip_carriers')
      .select([
        'voip_carrier_sid',
        'name',
        'account_sid',
        'service_provider_sid',
        'is_active',
        'requires_register',
        'register_status',
      ])
      .where('voip_carrier_sid', 'in', [...sids])
      .where(isUsable(actor))
      .execute()

  const readGateways = (sids: readonly string[]): Promise<GatewayRow[]> =>
    reader
      .selectFrom('sip_gateways')
      .select(['sip_gateway_sid', 'voip_carrier_sid', 'ipv4', 'port', 'outbound', 'is_active', 'send_options_ping'])
      .where('voip_carrier_sid', 'in', [...sids])
      .orderBy('sip_gateway_sid')
      .limit(maxGateways)
      .execute()

  const readFailures = async (gateways: readonly GatewayRow[]): Promise<Failures> => {
    if (health === undefined) return null
    if (gateways.length === 0) return new Map()
    const failures = health.failingGateways(gateways.map(({ sip_gateway_sid }) => sip_gateway_sid))
    return withTimeout(failures, timeoutSeconds, () => new Error('Redis does not respond')).catch(() => null)
  }

  /** Counts the calls of the current and of the previous hour by owner and carrier name. Null if that is impossible. */
  const readCalls = async (actor: Actor, carriers: readonly CarrierRow[], hour: number) => {
    if (callActivity.countByTrunk === undefined) return null
    const counting = callActivity.countByTrunk({
      owner_sids: [...new Set(carriers.map((carrier) => getCallOwner(actor, carrier)))],
      trunks: [...new Set(carriers.map(({ name }) => name))],
      hours: [hour - 1, hour],
    })
    const noResponse = () => new Error('the store of call records does not respond')
    const rows = await withTimeout(counting, timeoutSeconds, noResponse).catch(() => null)
    if (rows === null) return null
    const counts = new Map<string, Calls>()
    for (const { owner_sid, trunk, answered, calls } of rows) {
      const key = toKey(owner_sid, trunk)
      const before = counts.get(key) ?? { attempts: 0, answered: 0 }
      counts.set(key, {
        attempts: before.attempts + calls,
        answered: before.answered + (answered ? calls : 0),
      })
    }
    return counts
  }

  const read = async (actor: Actor, sids: readonly string[]): Promise<CarrierHealth[]> => {
    const carriers = await readCarriers(actor, sids)
    if (carriers.length === 0) return []
    const now = Date.now()
    const hour = toHourNumber(now)
    const registering = carriers.filter(({ requires_register }) => requires_register === 1)
    const [gateways, calls, registrations] = await Promise.all([
      readGateways(carriers.map(({ voip_carrier_sid }) => voip_carrier_sid)),
      readCalls(actor, carriers, hour),
      readRegistrations(registering, now),
    ])
    const failures = await readFailures(gateways)
    const since = new Date((hour - 1) * hourMs).toISOString()
    const rowsByCarrier = groupByCarrier(gateways)
    return carriers.map((carrier) => {
      const { voip_carrier_sid, name, is_active } = carrier
      const context = { isCarrierActive: is_active === 1, failures, pingTtlMs: pingTtlSeconds * 1000, now }
      const judged = (rowsByCarrier.get(voip_carrier_sid) ?? []).map((row) => judgeGateway(row, context))
      const registration = registrations.get(voip_carrier_sid) ?? null
      const count = (matches: (gateway: GatewayHealth) => boolean) => judged.filter(matches).length
      return {
        voip_carrier_sid,
        state: judgeCarrier(judged, registration),
        registration,
        calls: calls && {
          ...(calls.get(toKey(getCallOwner(actor, carrier), name)) ?? { attempts: 0, answered: 0 }),
          since,
        },
        gateway_count: judged.length,
        failing_count: count(({ state }) => state === 'failing'),
        monitored_count: count(({ state }) => state !== 'not_monitored'),
        gateways: judged,
      }
    })
  }

  return {
    /** Returns the health of the carriers among these that the caller can use. */
    list: async (actor: Actor, sids: readonly string[]): Promise<CarrierHealthSummary[]> =>
      (await read(actor, sids)).map(({ gateways: _gateways, ...summary }) => summary),

    /** Returns the health of a carrier with its gateways, failing ones first. */
    find: async (actor: Actor, sid: string): Promise<CarrierHealth> => {
      const carrier = (await read(actor, [sid]))[0] ?? throwApiError('not_found')
      const byState = (one: GatewayHealth, other: GatewayHealth) =>
        Number(other.state === 'failing') - Number(one.state === 'failing') || one.ipv4.localeCompare(other.ipv4)
      return { ...carrier, gateways: carrier.gateways.toSorted(byState).slice(0, maxHealthGateways) }
    },
  }
}

export type CarrierHealthReader = ReturnType<typeof createCarrierHealth>
