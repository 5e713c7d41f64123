import { api } from '../../../api/client.ts'
import { pageIn } from '../../../api/list-page.ts'
import { escapeLike } from '../../../api/queries.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { type ApplicationValues, nameTaken } from './application-form.ts'

/** An account has each name once: asked before a save, so that the field says it. */
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
