import type { ListedUser } from '@patchbay/contract/users'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'
import { editUser } from '../../routes/users.ts'
import { isAround } from './user-filters.ts'

/** Returns whether the server can mail users a link for choosing their password. */
export const hasInvitations = (): boolean => config().extensions.has('invitations')

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: (context) => api('GET /Users', {}, queryCallOptions(context)),
})

export const userQuery = (user_sid: string) =>
  queryOptions({
    queryKey: ['user', user_sid],
    queryFn: (context) => api('GET /Users/:user_sid', { params: { user_sid } }, queryCallOptions(context)),
  })

export const userLink = recordLink(editUser, ({ name }: ListedUser) => name)

/** Returns the users of a service provider, and the admins, for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, read }) => {
  const users = await read(usersQuery)
  return toFoundRecords(
    userLink,
    users.filter((user) => isAround(user, service_provider_sid)),
    ({ email }) => email ?? '',
  )
}
