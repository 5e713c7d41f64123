import type { HealthChange } from '@patchbay/contract/carrier-health'

const changesOfState = (change: Pick<HealthChange, 'from_state' | 'reason'>) => ({
  failing: 'An OPTIONS ping failed',
  no_failure_known: change.from_state === 'failing' ? 'Recovered: no OPTIONS ping has failed lately' : 'Pings enabled',
  not_monitored: 'Pings disabled',
  registered: 'Registered',
  registration_failing: change.reason === null ? 'Registration failed' : `Registration failed: ${change.reason}`,
  registration_expired: 'Registration expired',
})

/** Describes a change of the health of a gateway or a registration. */
export const describeChange = (change: Pick<HealthChange, 'from_state' | 'to_state' | 'reason'>): string => {
  const text = changesOfState(change)[change.to_state]
  return change.from_state === null ? `${text}, before the first check` : text
}
