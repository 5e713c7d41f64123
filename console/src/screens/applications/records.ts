import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'
import { filterToProvider } from '../../record/use-accounts-in-scope.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { editApplication } from '../../routes/applications.ts'

/** Reads the names and accounts of applications. The jambonz API server returns the applications of every provider. */
const namesQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['applications', 'names', service_provider_sid],
    queryFn: async (context) => {
      const applications = await api(
        'GET /ServiceProviders/:service_provider_sid/Applications',
        { params: { service_provider_sid } },
        queryCallOptions(context),
      )
      return applications.map(({ application_sid, name, account_sid }) => ({
        application_sid,
        name,
        account_sid: account_sid ?? '',
      }))
    },
  })

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const applications = await filterToProvider(service_provider_sid, namesQuery(service_provider_sid))
  return applications.map(({ application_sid, name }) => ({
    label: name,
    sid: application_sid,
    link: { to: editApplication.path, params: { application_sid } },
  }))
}
