import { api } from '../../../api/client.ts'
import { pageIn } from '../../../api/list-page.ts'
import { escapeLike } from '../../../api/shared-queries.ts'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { type ApplicationValues, nameTaken } from './application-form.ts'

/** Checks before a save that the name is unique within the account, so the error appears at the name field. */
export const nameErrors = async (
  { account_sid, name }: Pick<ApplicationValues, 'account_sid' | 'name'>,
  except?: string,
): Promise<FieldErrors<ApplicationValues>> => {
  const { data } = pageIn(
    await api('GET /Accounts/:account_sid/Applications', {
      params: { account_sid },
      query: { name: escapeLike(name) },
    }),
  )
  const others = data.filter(({ application_sid }) => application_sid !== except)
  return others.some((other) => other.name.toLowerCase() === name.toLowerCase()) ? nameTaken : {}
}
