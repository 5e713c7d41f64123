import type { CarrierState, GatewayHealth, GatewayState, RegistrationHealth } from '@patchbay/contract/carrier-health'

/** Derives the health of carriers from what the platform stores (docs/reference/platform-api/runtime-routing.md). */

export interface GatewayRow {
  sip_gateway_sid: string
  voip_carrier_sid: string
  ipv4: string
  port: number | null
  outbound: 0 | 1
  is_active: 0 | 1
  send_options_ping: 0 | 1
}

/** Milliseconds until the platform forgets the failure, by gateway. Null if Redis is unavailable. */
export type Failures = ReadonlyMap<string, number> | null

/** The SBCs ping only active outbound gateways of active carriers for which pings are enabled. */
const isMonitored = ({ outbound, is_active, send_options_ping }: GatewayRow, isCarrierActive: boolean): boolean =>
  isCarrierActive && outbound === 1 && is_active === 1 && send_options_ping === 1

interface GatewayContext {
  isCarrierActive: boolean
  failures: Failures
  /** Time for which the platform stores a failure, in milliseconds. */
  pingTtlMs: number
  /** Epoch milliseconds. */
  now: number
}

const getGatewayState = (row: GatewayRow, { isCarrierActive, failures }: GatewayContext): GatewayState => {
  // The SBCs skip a failing gateway even if its pings have been disabled since.
  if (failures?.has(row.sip_gateway_sid)) return 'failing'
  if (!isMonitored(row, isCarrierActive)) return 'not_monitored'
  return failures === null ? 'unknown' : 'no_failure_known'
}

/** Returns the health of a gateway. */
export const judgeGateway = (row: GatewayRow, context: GatewayContext): GatewayHealth => {
  const { sip_gateway_sid, ipv4, port } = row
  const { failures, pingTtlMs, now } = context
  const remaining = failures?.get(sip_gateway_sid)
  const isInWindow = remaining !== undefined && remaining >= 0 && remaining <= pingTtlMs
  return {
    sip_gateway_sid,
    ipv4,
    port,
    state: getGatewayState(row, context),
    failing_since: isInWindow ? new Date(now - (pingTtlMs - remaining)).toISOString() : null,
  }
}

/** Returns the overall state of a carrier. */
export const judgeCarrier = (
  gateways: readonly Pick<GatewayHealth, 'state'>[],
  registration: RegistrationHealth | null,
): CarrierState => {
  const count = (state: GatewayState) => gateways.filter((gateway) => gateway.state === state).length
  const failing = count('failing')
  const isReachable = count('no_failure_known') > 0
  if (registration?.state === 'failing' || registration?.state === 'stale') return 'failing'
  // Gateways that are not monitored may work, so the carrier as a whole may too.
  if (failing > 0) return failing === gateways.length ? 'failing' : 'partly_failing'
  // A registration says nothing about gateways whose pings cannot be read.
  if (count('unknown') > 0) return 'unknown'
  if (isReachable || registration?.state === 'registered') return 'no_failure_known'
  return count('unknown') > 0 || registration?.state === 'unknown' ? 'unknown' : 'not_monitored'
}
