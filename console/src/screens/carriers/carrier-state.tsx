import type { Actor } from '@patchbay/contract/api/access'
import type { RegistrationHealth } from '@patchbay/contract/carrier-health'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { judgeRegistration } from '@patchbay/rules/routing/registration'
import { useQuery } from '@tanstack/react-query'
import { describeRegistration } from '../../sections/carrier-health/health-labels.ts'
import { carrierHealthsQuery, hasCarrierHealth } from '../../sections/carrier-health/queries.ts'
import { reservedReason } from '../../session/view-only.ts'
import { StateBadge, type StateTone } from '../../ui/badge.tsx'
import { relativeText, toDate } from '../../ui/format/datetime.ts'
import { Tooltip } from '../../ui/overlay/tooltip.tsx'
import styles from './carriers.module.css'

/** Returns why this user cannot add or change carriers, or undefined if they can. */
export const changeDeniedReason = (actor: Actor): string | undefined =>
  reservedReason(actor, 'Only your service provider can add or change carriers.')

type Registering = Pick<VoipCarrier, 'voip_carrier_sid' | 'requires_register' | 'register_status'>

const judgeReport = ({ register_status }: Registering): RegistrationHealth =>
  judgeRegistration(register_status, Date.now())

/**
 * Returns the registration of a carrier by what the platform reported, and by captured REGISTERs if the server reads them.
 * @param sids the carriers whose health is read with one request
 */
export const useRegistration = (carrier: Registering, sids: readonly string[]): RegistrationHealth => {
  const isEnabled = hasCarrierHealth() && sids.length > 0
  const health = useQuery({ ...carrierHealthsQuery(sids), enabled: isEnabled }).data?.get(carrier.voip_carrier_sid)
  return health?.registration ?? judgeReport(carrier)
}

/** Shows whether a carrier is active. */
export const ActiveState = ({ is_active }: Pick<VoipCarrier, 'is_active'>) => (
  <StateBadge tone={is_active ? 'good' : 'neutral'}>{is_active ? 'Active' : 'Inactive'}</StateBadge>
)

const labels: Readonly<Record<RegistrationHealth['state'], readonly [StateTone, string]>> = {
  registered: ['good', 'Registered'],
  failing: ['bad', 'Unregistered'],
  stale: ['bad', 'Expired'],
  unknown: ['neutral', 'Unregistered'],
}

/** Returns the response to a REGISTER that failed, and otherwise what is known about the registration. */
const tipFor = (registration: RegistrationHealth): string => {
  const { state, reason, reported_at } = registration
  const text = state === 'failing' && reason !== null ? reason : describeRegistration(registration)
  const at = reported_at === null || text === '' ? undefined : toDate(reported_at)
  return at === undefined ? text : `${text} (reported ${relativeText(at, new Date())})`
}

/** Shows whether jambonz is registered with a carrier that requires registration. The tooltip contains the reason. */
export const RegistrationState = ({ carrier, sids }: { carrier: Registering; sids: readonly string[] }) => {
  const registration = useRegistration(carrier, sids)
  if (!carrier.requires_register) return null
  const { state } = registration
  const [tone, label] = labels[state]
  const badge = <StateBadge tone={tone}>{label}</StateBadge>
  const tip = tipFor(registration)
  if (tip === '') return badge
  return (
    <Tooltip text={tip}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
        <span tabIndex={0} aria-describedby={tipId} className={styles['registration']}>
          {badge}
          {state === 'unknown' && <span className={styles['none']}>not reported</span>}
        </span>
      )}
    </Tooltip>
  )
}
