import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { editApplication } from '../routes/applications.ts'
import { ScreenLink } from '../screen/links.tsx'
import { Name } from '../ui/format/reference.tsx'

/** Reads the name of an application once. Renames during the visit are not picked up. */
const applicationNameQuery = (application_sid: string) =>
  queryOptions({
    queryKey: ['application-name', application_sid],
    queryFn: async ({ signal }) => {
      const options = { signal, unasked: true }
      return (await api('GET /Applications/:application_sid', { params: { application_sid } }, options)).name
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The application of a call. Shows a dash until the name has loaded, and to users who may not read the application. */
export const ApplicationName = ({ application_sid }: { application_sid: string }) => {
  const { data } = useQuery(applicationNameQuery(application_sid))
  return data === undefined ? (
    '–'
  ) : (
    <ScreenLink to={editApplication} params={{ application_sid }}>
      <Name>{data}</Name>
    </ScreenLink>
  )
}
