import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { QueryFailed } from '../feedback/query-failed.tsx'
import { lazyComponentQuery } from './lazy-component-query.ts'

/**
 * Creates a part of a list or form whose chunk loads when the part is rendered for the first time. Unlike `lazyPart`, it needs
 * no code of forms: nothing is displayed while the chunk is loading. If it fails to load, the part shows an error with a
 * button to retry.
 */
export const lazyContent = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  function LazyContent(props: Props) {
    const { data, error, refetch } = useQuery(lazyComponentQuery(name, load))
    if (data !== undefined) return <data.Part {...props} />
    return error && <QueryFailed error={error} onRetry={() => void refetch()} />
  }
