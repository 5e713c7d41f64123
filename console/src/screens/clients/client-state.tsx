import type { Client } from '@patchbay/contract/clients'
import { StateBadge } from '../../ui/badge.tsx'

export const clientStateLabel = ({ is_active }: Pick<Client, 'is_active'>): string =>
  is_active ? 'Active' : 'Inactive'

export const ClientState = ({ client }: { client: Pick<Client, 'is_active'> }) => (
  <StateBadge tone={client.is_active ? 'good' : 'neutral'}>{clientStateLabel(client)}</StateBadge>
)

export const registrationText = (isRegistered: boolean): string => (isRegistered ? 'Registered' : 'Not registered')

/** Shows whether a device is currently registered. */
export const RegistrationState = ({ isRegistered }: { isRegistered: boolean }) => (
  <StateBadge tone={isRegistered ? 'good' : 'neutral'}>{registrationText(isRegistered)}</StateBadge>
)
