import { filterToProvider } from '../../record/use-accounts-in-scope.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { clientsQuery } from './queries.ts'
import { editClient } from '../../routes/clients.ts'

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const clients = await filterToProvider(service_provider_sid, clientsQuery)
  return clients.map(({ username, client_sid }) => ({
    label: username ?? '',
    sid: client_sid,
    link: { to: editClient.path, params: { client_sid } },
  }))
}
