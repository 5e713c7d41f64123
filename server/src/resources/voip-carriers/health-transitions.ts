import type { GatewayState, RegistrationHealth, WatchedState } from '@patchbay/contract/carrier-health'

/** Rules for changes of the health of carriers. Pure. */

/** Returns the state of a gateway that is compared with the last known one, or undefined if it is not known. */
export const toWatchedGatewayState = (state: GatewayState): WatchedState | undefined =>
  state === 'unknown' ? undefined : state

const registrationStates: Readonly<Record<RegistrationHealth['state'], WatchedState | undefined>> = {
  registered: 'registered',
  failing: 'registration_failing',
  stale: 'registration_expired',
  unknown: undefined,
}

/** Returns the state of a registration that is compared with the last known one, or undefined if it is not known. */
export const toWatchedRegistrationState = (state: RegistrationHealth['state']): WatchedState | undefined =>
  registrationStates[state]

export type HealthAlertType = 'gateway-failing' | 'gateway-recovered' | 'registration-lost' | 'registration-recovered'

const isRegistrationFailure = (state: WatchedState | null): boolean =>
  state === 'registration_failing' || state === 'registration_expired'

/** Returns the type of the alert that a change raises, or undefined if it raises none. */
export const getAlertType = (from: WatchedState | null, to: WatchedState): HealthAlertType | undefined => {
  if (from === 'no_failure_known' && to === 'failing') return 'gateway-failing'
  if (from === 'failing' && to === 'no_failure_known') return 'gateway-recovered'
  if (from === 'registered' && isRegistrationFailure(to)) return 'registration-lost'
  if (isRegistrationFailure(from) && to === 'registered') return 'registration-recovered'
  return undefined
}

/** Alerts of a gateway or registration about the same direction are at least this far apart. */
export const minAlertGapMs = 600_000

/** Returns whether an alert is far enough from the last one of its direction. A later one had a wrong clock. */
export const isAlertDue = (lastAlertAt: number, now: number): boolean =>
  lastAlertAt > now || now - lastAlertAt >= minAlertGapMs

interface Watched {
  carrierName: string
  address: string | null
  to: WatchedState
  reason: string | null
}

/** Returns the message of an alert. */
export const formatHealthAlert = (type: HealthAlertType, { carrierName, address, to, reason }: Watched): string => {
  switch (type) {
    case 'gateway-failing':
      return `SIP gateway ${address} of carrier ${carrierName} failed an OPTIONS ping. The SBCs skip it for outbound calls.`
    case 'gateway-recovered':
      return `SIP gateway ${address} of carrier ${carrierName} recovered: no OPTIONS ping has failed lately.`
    case 'registration-lost':
      return to === 'registration_expired'
        ? `The registration with carrier ${carrierName} expired.`
        : `The registration with carrier ${carrierName} failed${reason === null ? '.' : `: ${reason}`}`
    case 'registration-recovered':
      return `The registration with carrier ${carrierName} succeeded again.`
  }
}
