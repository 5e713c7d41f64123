import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { lazyComponentQuery } from './lazy-component-query.ts'
import { FormLoading } from '../form/form-loading.tsx'

/** A part of a screen whose script comes when it first shows, and can be asked for again where it does not come. */
export const lazyPart = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  function LazyPart(props: Props) {
    const loading = useQuery(lazyComponentQuery(name, load))
    if (loading.data === undefined) return <FormLoading queries={[loading]} sections={1} />
    const { Part } = loading.data
    return <Part {...props} />
  }
