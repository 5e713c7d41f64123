import { filterToProvider } from '../../page/known-accounts.ts'
import type { FoundRecord } from '../../page/screen.ts'
import { clientsQuery } from './queries.ts'
import { editClient } from './screens.ts'

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const clients = await filterToProvider(service_provider_sid, clientsQuery)
  return clients.map(({ username, client_sid }) => ({
    label: username ?? '',
    sid: client_sid,
    link: { to: editClient.path, params: { client_sid } },
  }))
}
