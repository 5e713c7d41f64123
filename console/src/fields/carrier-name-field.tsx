import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { queryOptions } from '@tanstack/react-query'
import { type CarrierFieldProps, useCarrierSearch } from './carrier-field.tsx'
import { RecordSelectField } from './record-select-field.tsx'

const toOption = ({ name }: Pick<VoipCarrier, 'name'>) => ({ value: name, label: name })

/** Calls name carriers that no longer exist, so a name needs no record. */
const nameQuery = (name: string) =>
  queryOptions({ queryKey: ['carrier-name', name], queryFn: () => Promise.resolve({ name }) })

/** Selects the name of a carrier, as calls contain it, or none. */
export const CarrierNameField = ({ account_sid, ...field }: CarrierFieldProps) => {
  const searchQuery = useCarrierSearch(account_sid)
  return (
    <RecordSelectField
      {...field}
      source={{ noun: 'carrier', searchQuery, one: nameQuery, toOption, none: [{ value: '', label: 'any' }] }}
    />
  )
}
