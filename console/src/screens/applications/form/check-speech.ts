import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { queryClient } from '../../../api/query-client.ts'
import type { ApplicationValues } from './application-form.ts'
import { usableCredentialsQuery } from './speech-queries.ts'

/** Asked before a save, with the credentials as they are known by then. */
export const speechErrorsNow = async (
  values: ApplicationValues,
  before?: ApplicationValues,
): Promise<FieldErrors<ApplicationValues>> => {
  // It is there with the fields, which bring all that is known of vendors.
  const { speechErrors } = await import('./speech-section.tsx')
  return speechErrors(
    values,
    before,
    queryClient.getQueryData(usableCredentialsQuery(values.account_sid).queryKey) ?? [],
  )
}
