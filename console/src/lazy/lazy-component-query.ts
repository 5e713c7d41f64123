import { queryOptions } from '@tanstack/react-query'
import type { ComponentType } from 'react'

/** A piece whose script comes when it first shows, once. */
export const lazyComponentQuery = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  queryOptions({
    queryKey: ['script', name],
    queryFn: async () => ({ Part: await load() }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
