import type { FoundRecord } from '../../page/screen.ts'
import { queryClient } from '../../page/query-client.ts'
import { carriersQuery } from './queries.ts'
import { editCarrier } from './screens.ts'

/** Finding needs no later list than that of a minute ago. */
const freshMs = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const { data } = await queryClient.fetchQuery({ ...carriersQuery(service_provider_sid, {}), staleTime: freshMs })
  return data.map(({ name, voip_carrier_sid }) => ({
    label: name,
    sid: voip_carrier_sid,
    link: { to: editCarrier.path, params: { voip_carrier_sid } },
  }))
}
