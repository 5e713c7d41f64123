import type { Application } from '@patchbay/contract/applications'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type ApplicationQuery, readApplications } from '../../api/read-applications.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { editApplication } from '../../routes/applications.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'

/** Queries of the application screens. */

export const applicationPageQuery = (owner: OwnerSid, query: ApplicationQuery) =>
  queryOptions({
    queryKey: ['applications', owner, query],
    queryFn: (context) => readApplications(owner, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

export const applicationLink = recordLink(
  editApplication,
  ({ name }: Pick<Application, 'application_sid' | 'name'>) => name,
)

/** Reads the names and accounts of applications. The jambonz API server returns the applications of every provider. */
const namesQuery = (service_provider_sid: string) =>
  queryOptions({
    queryKey: ['applications', 'names', service_provider_sid],
    queryFn: async (context) => {
      const { data } = await readApplications({ service_provider_sid }, {}, queryCallOptions(context))
      return data.map(({ application_sid, name, account_sid }) => ({
        application_sid,
        name,
        account_sid: account_sid ?? '',
      }))
    },
  })

/** Returns the applications of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, readOfAccounts }) =>
  toFoundRecords(applicationLink, await readOfAccounts(namesQuery(service_provider_sid)))
