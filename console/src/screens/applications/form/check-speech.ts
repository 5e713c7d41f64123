import { queryClient } from '../../../api/query-client.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import type { ApplicationValues } from './application-form.ts'
import { usableCredentialsQuery } from './speech-queries.ts'

/** Validates the speech settings before a save, with the credentials in the query cache. */
export const speechErrorsNow = async (
  values: ApplicationValues,
  before?: ApplicationValues,
): Promise<FieldErrors<ApplicationValues>> => {
  // The speech section contains the vendor catalog, so a static import would add it to the chunk of the screen.
  const { speechErrors } = await import('./speech-section.tsx')
  return speechErrors(
    values,
    before,
    queryClient.getQueryData(usableCredentialsQuery(values.account_sid).queryKey) ?? [],
  )
}
