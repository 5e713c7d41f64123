import type { Client } from '@patchbay/contract/clients'
import { readPhoneClientExpiry } from '@patchbay/contract/shared/phone-clients'
import { StateBadge } from '../../ui/badge.tsx'

type ListedClient = Pick<Client, 'is_active' | 'username'>

/** The client of a call from the browser is temporary: Patchbay deletes it. */
export const clientStateLabel = ({ is_active, username }: ListedClient): string => {
  if (readPhoneClientExpiry(username) !== undefined) return 'Temporary'
  return is_active ? 'Active' : 'Inactive'
}

export const ClientState = ({ client }: { client: ListedClient }) => (
  <StateBadge tone={client.is_active ? 'good' : 'neutral'}>{clientStateLabel(client)}</StateBadge>
)

export const registrationText = (isRegistered: boolean): string => (isRegistered ? 'Registered' : 'Not registered')

/** Shows whether a device is currently registered. */
export const RegistrationState = ({ isRegistered }: { isRegistered: boolean }) => (
  <StateBadge tone={isRegistered ? 'good' : 'neutral'}>{registrationText(isRegistered)}</StateBadge>
)
