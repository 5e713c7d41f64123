import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { queryCallOptions } from '../../api/queries.ts'

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: (context) => api('GET /Users', {}, queryCallOptions(context)),
})

export const userQuery = (user_sid: string) =>
  queryOptions({
    queryKey: ['user', user_sid],
    queryFn: (context) => api('GET /Users/:user_sid', { params: { user_sid } }, queryCallOptions(context)),
  })
