import type { Actor } from '@patchbay/contract/access'
import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { reservedReason } from '../../session/view-only.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'

/** Returns why this user cannot add or change carriers, or undefined if they can. */
export const changeDeniedReason = (actor: Actor): string | undefined =>
  reservedReason(actor, 'Only your service provider can add or change carriers.')

type Registration = Pick<VoipCarrier, 'requires_register' | 'register_status'>

const registered = 'ok'

export const isRegistered = ({ register_status }: Registration): boolean => register_status.status === registered

export const registrationReason = ({ register_status: { reason } }: Registration): string | undefined =>
  typeof reason === 'string' && reason !== '' ? reason : undefined

/** Shows whether a carrier is active. */
export const ActiveState = ({ is_active }: Pick<VoipCarrier, 'is_active'>) => (
  <StateBadge tone={is_active ? 'good' : 'neutral'}>{is_active ? 'Active' : 'Inactive'}</StateBadge>
)

/** Shows whether jambonz is registered with a carrier that requires registration. The tooltip contains the reason. */
export const RegistrationState = ({ carrier }: { carrier: Registration }) => {
  if (!carrier.requires_register) return null
  const isOk = isRegistered(carrier)
  const badge = (
    <StateBadge tone={isOk ? 'good' : 'bad'} brief>
      {isOk ? 'Registered' : 'Unregistered'}
    </StateBadge>
  )
  const reason = registrationReason(carrier)
  if (reason === undefined) return badge
  return (
    <Tooltip text={reason}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
        <span tabIndex={0} aria-describedby={tipId}>
          {badge}
        </span>
      )}
    </Tooltip>
  )
}
