import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { carrierQuery, carriersToChooseQuery } from '../api/record-queries.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { RecordSelectField, type RecordFieldProps } from './record-select-field.tsx'

interface CarrierFieldProps extends RecordFieldProps {
  /** those that this account may use; empty for all of the service provider */
  account_sid: string
}

const optionOf = ({ voip_carrier_sid, name, is_active }: VoipCarrier) => ({
  value: voip_carrier_sid,
  label: is_active ? name : `${name} (inactive)`,
})

/** One of the carriers of the service provider one works in. */
export const CarrierField = ({ account_sid, ...field }: CarrierFieldProps) => {
  const service_provider_sid = useProviderSid()
  return (
    <RecordSelectField
      {...field}
      source={{
        noun: 'carrier',
        found: (name) => carriersToChooseQuery(service_provider_sid, account_sid, name),
        one: carrierQuery,
        optionOf,
      }}
    />
  )
}
