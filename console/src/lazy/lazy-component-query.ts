import { queryOptions } from '@tanstack/react-query'
import type { ComponentType } from 'react'

/**
 * Returns the query that loads the code of a component when it is rendered for the first time.
 * @param name identifies the component in the query cache
 */
export const lazyComponentQuery = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  queryOptions({
    queryKey: ['script', name],
    queryFn: async () => ({ Part: await load() }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
