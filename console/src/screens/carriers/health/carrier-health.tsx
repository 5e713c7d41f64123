import { useQuery } from '@tanstack/react-query'
import { errorMessage } from '../../../api/api-error.ts'
import { carrierLabels, describeHealth } from '../../../sections/carrier-health/health-labels.ts'
import { carrierHealthsQuery } from '../../../sections/carrier-health/queries.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Tooltip } from '../../../ui/overlay/tooltip.tsx'
import styles from '../carriers.module.css'

/** Shows the health of a carrier in the list. The tooltip contains the reasons. */
export const CarrierHealthState = ({ sids, sid }: { sids: readonly string[]; sid: string }) => {
  const healths = useQuery(carrierHealthsQuery(sids))
  const health = healths.data?.get(sid)
  if (health === undefined && healths.isPending) return <span className={styles['none']}>Checking health…</span>
  const [tone, label] = health ? carrierLabels[health.state] : carrierLabels.unknown
  const reasons = health ? describeHealth(health) : healths.error ? errorMessage(healths.error) : ''
  const badge = <StateBadge tone={tone}>{label}</StateBadge>
  if (reasons === '') return badge
  return (
    <Tooltip text={reasons}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
        <span tabIndex={0} aria-describedby={tipId}>
          {badge}
        </span>
      )}
    </Tooltip>
  )
}
