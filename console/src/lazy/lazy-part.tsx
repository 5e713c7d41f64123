import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { FormLoading } from '../form/form-loading.tsx'
import { lazyComponentQuery } from './lazy-component-query.ts'

/**
 * Creates a part of a screen whose chunk loads when the part is rendered for the first time. If the chunk fails to
 * load, the part shows an error with a button to retry.
 */
export const lazyPart = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  function LazyPart(props: Props) {
    const loading = useQuery(lazyComponentQuery(name, load))
    if (loading.data === undefined) return <FormLoading queries={[loading]} />
    const { Part } = loading.data
    return <Part {...props} />
  }
