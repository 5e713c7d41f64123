import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { reading } from '../../api/queries.ts'

/** What these screens alone read. */

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: (context) => call('GET /Users', {}, reading(context)),
})

export const userQuery = (user_sid: string) =>
  queryOptions({
    queryKey: ['user', user_sid],
    queryFn: (context) => call('GET /Users/:user_sid', { params: { user_sid } }, reading(context)),
  })
