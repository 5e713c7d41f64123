import { type ComponentType, useState } from 'react'
import { tellFailure } from './use-action.ts'

/** A dialog whose script comes when it is first opened, so that a list need not bring it. */
export const useLazyDialog = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const [Loaded, setLoaded] = useState<ComponentType<Props>>()
  const [isLoading, setLoading] = useState(false)
  const bring = async () => {
    setLoading(true)
    try {
      const Part = await load()
      setLoaded(() => Part)
    } catch (error) {
      tellFailure(error)
    } finally {
      setLoading(false)
    }
  }
  return { Part: Loaded, isLoading, open: () => void bring(), close: () => setLoaded(undefined) }
}
