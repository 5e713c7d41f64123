import { meQuery, providersQuery } from '../api/queries.ts'
import { queryClient } from './query-client.ts'

/** What the frame needs before it shows. */
export const loadInternal = async (): Promise<null> => {
  await Promise.all([queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(providersQuery)])
  return null
}

export const forgetData = (): void => queryClient.clear()
