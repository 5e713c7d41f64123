import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { carrierQuery, carriersToChooseQuery } from '../api/record-queries.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { type RecordFieldProps, RecordSelectField } from './record-select-field.tsx'

export interface CarrierFieldProps extends RecordFieldProps {
  /** Offers only carriers that this account can use. Empty for all carriers of the service provider. */
  account_sid: string
}

const toOption = ({ voip_carrier_sid, name, is_active }: VoipCarrier) => ({
  value: voip_carrier_sid,
  label: is_active ? name : `${name} (inactive)`,
})

/** Returns the query of the carriers to choose from whose name contains a text. */
export const useCarrierSearch = (account_sid: string) => {
  const service_provider_sid = useProviderSid()
  return (name: string) => carriersToChooseQuery(service_provider_sid, account_sid, name)
}

/** Selects a carrier of the current service provider. */
export const CarrierField = ({ account_sid, ...field }: CarrierFieldProps) => (
  <RecordSelectField
    {...field}
    source={{ noun: 'carrier', searchQuery: useCarrierSearch(account_sid), one: carrierQuery, toOption }}
  />
)
