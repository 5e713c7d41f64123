import { usersQuery } from './queries.ts'
import { queryClient } from '../../api/query-client.ts'
import type { FoundRecord } from '../../routes/define-screen.ts'
import { editUser } from '../../routes/users.ts'
import { isAround } from './user-filters.ts'

/** The search reuses a list that was read within the last minute. Edits in this console invalidate that list. */
const freshMs = 60_000

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const users = await queryClient.fetchQuery({ ...usersQuery, staleTime: freshMs })
  return users
    .filter((user) => isAround(user, service_provider_sid))
    .map(({ name, user_sid }) => ({ label: name, sid: user_sid, link: { to: editUser.path, params: { user_sid } } }))
}
