import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { lateScript } from './late-script.ts'
import { FormLoading } from './form-loading.tsx'

/** A part of a screen whose script comes when it first shows, and can be asked for again where it does not come. */
export const laterPart = <Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) =>
  function LaterPart(props: Props) {
    const loading = useQuery(lateScript(name, load))
    if (loading.data === undefined) return <FormLoading queries={[loading]} sections={1} />
    const { Part } = loading.data
    return <Part {...props} />
  }
