import type {
  CarrierHealthSummary,
  CarrierState,
  GatewayState,
  RegistrationHealth,
} from '@patchbay/contract/carrier-health'
import type { StateTone } from '../../ui/badge.tsx'
import { formatCount } from '../../ui/format/text.ts'

/** Labels and sentences about the health of carriers. The absence of failures proves no connection. */

type Label = readonly [tone: StateTone, label: string]

export const carrierLabels: Readonly<Record<CarrierState, Label>> = {
  failing: ['bad', 'Failing'],
  partly_failing: ['warn', 'Partly failing'],
  no_failure_known: ['good', 'No failure known'],
  not_monitored: ['neutral', 'Not monitored'],
  unknown: ['neutral', 'Unknown'],
}

export const gatewayLabels: Readonly<Record<GatewayState, Label>> = {
  failing: ['bad', 'Failing'],
  no_failure_known: ['good', 'No failure known'],
  not_monitored: ['neutral', 'Not monitored'],
  unknown: ['neutral', 'Unknown'],
}

export const registrationLabels: Readonly<Record<RegistrationHealth['state'], Label>> = {
  registered: ['good', 'Registered'],
  failing: ['bad', 'Failing'],
  stale: ['bad', 'Expired'],
  unknown: ['neutral', 'Not reported'],
}

/**
 * Returns the sentence about the answered calls, or undefined if another system stores the call records. Counts, because
 * a rounded share of 199 of 200 calls would be 100 %.
 */
export const formatCalls = (calls: CarrierHealthSummary['calls']): string | undefined => {
  if (calls === null) return undefined
  const { attempts, answered, since } = calls
  const window = `since ${since.slice(11, 16)} UTC`
  if (attempts === 0) return `No calls ${window}.`
  const parts = `${formatCount(answered)} of ${formatCount(attempts)}`
  return `${parts} ${attempts === 1 ? 'call was' : 'calls were'} answered ${window}.`
}

/** Returns what is known about a registration, or an empty text if it is simply valid. */
export const describeRegistration = ({ state, reason, settled_at }: RegistrationHealth): string => {
  if (state === 'failing') return reason === null ? 'The registration failed.' : `The registration failed: ${reason}.`
  if (state === 'unknown') return 'No registration was reported.'
  if (state === 'stale') return 'The registration has expired.'
  if (!settled_at) return ''
  return `The carrier refused a REGISTER${reason === null ? '' : ` with ${reason}`}, and accepted a later one.`
}

const describeGateways = (health: CarrierHealthSummary): string => {
  const { state, gateway_count, failing_count, monitored_count } = health
  if (failing_count > 0) return `${failing_count} of ${gateway_count} gateways failed an OPTIONS ping.`
  if (state === 'unknown') return 'The result of OPTIONS pings is unknown, because Redis is not available.'
  if (monitored_count === 0) return 'The SBCs send no OPTIONS pings to this carrier.'
  return `The SBCs ping ${monitored_count} of ${gateway_count} gateways.`
}

/** Returns the reasons for the state of a carrier. */
export const describeHealth = (health: CarrierHealthSummary): string =>
  [
    health.registration ? describeRegistration(health.registration) : '',
    ...(health.gateway_count > 0 ? [describeGateways(health)] : []),
    formatCalls(health.calls) ?? '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
