import { StateBadge, type StateTone } from '../../ui/badge.tsx'
import { Tooltip } from '../../ui/overlay/tooltip.tsx'
import type { Health, ServiceHealth } from './test-status.ts'

const healthLabels: Readonly<Record<Health, string>> = {
  ok: 'Status ok',
  fail: 'Status fail',
  'not tested': 'Status not tested',
  testing: 'Checking status…',
  error: 'Status error',
}

const tones: Readonly<Partial<Record<Health, StateTone>>> = { ok: 'passed', fail: 'bad', error: 'bad' }

export const stateText = ({ health }: ServiceHealth): string => healthLabels[health]

/** Badge with the result of the last test. Its tooltip shows why the test failed. */
export const ServiceState = ({ state }: { state: ServiceHealth }) => {
  const badge = <StateBadge tone={tones[state.health] ?? 'neutral'}>{healthLabels[state.health]}</StateBadge>
  return state.reason === '' ? (
    badge
  ) : (
    <Tooltip text={state.reason}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
        <span tabIndex={0} aria-describedby={tipId}>
          {badge}
        </span>
      )}
    </Tooltip>
  )
}
