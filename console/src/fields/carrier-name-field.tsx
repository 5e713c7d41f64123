import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { queryOptions } from '@tanstack/react-query'
import { carriersToChooseQuery } from '../api/record-queries.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { type RecordFieldProps, RecordSelectField } from './record-select-field.tsx'

interface CarrierNameFieldProps extends RecordFieldProps {
  /** Offers only carriers that this account can use. Empty for all carriers of the service provider. */
  account_sid: string
}

const toOption = ({ name }: Pick<VoipCarrier, 'name'>) => ({ value: name, label: name })

/** Calls name carriers that no longer exist, so a name needs no record. */
const nameQuery = (name: string) =>
  queryOptions({ queryKey: ['carrier-name', name], queryFn: () => Promise.resolve({ name }) })

/** Selects the name of a carrier, as calls contain it, or none. */
export const CarrierNameField = ({ account_sid, ...field }: CarrierNameFieldProps) => {
  const service_provider_sid = useProviderSid()
  return (
    <RecordSelectField
      {...field}
      source={{
        noun: 'carrier',
        searchQuery: (name) => carriersToChooseQuery(service_provider_sid, account_sid, name),
        one: nameQuery,
        toOption,
        none: { value: '', label: 'any' },
      }}
    />
  )
}
