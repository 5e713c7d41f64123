import type { FoundRecord } from '../../routes/define-screen.ts'
import { queryClient } from '../../api/query-client.ts'
import { carriersQuery } from './queries.ts'
import { editCarrier } from '../../routes/carriers.ts'

/** The search reuses a list that was read within the last minute. */
const freshMs = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const { data } = await queryClient.fetchQuery({ ...carriersQuery(service_provider_sid, {}), staleTime: freshMs })
  return data.map(({ name, voip_carrier_sid }) => ({
    label: name,
    sid: voip_carrier_sid,
    link: { to: editCarrier.path, params: { voip_carrier_sid } },
  }))
}
