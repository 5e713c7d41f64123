import { type ComponentType, useState } from 'react'
import { showErrorToast } from '../feedback/use-action.ts'

/**
 * Returns a dialog component that loads when the dialog is opened for the first time, with functions to open and close
 * it.
 */
export const useLazyComponent = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  const [Loaded, setLoaded] = useState<ComponentType<Props>>()
  const [isLoading, setLoading] = useState(false)
  const bring = async () => {
    setLoading(true)
    try {
      const Part = await load()
      setLoaded(() => Part)
    } catch (error) {
      showErrorToast(error)
    } finally {
      setLoading(false)
    }
  }
  return { Part: Loaded, isLoading, open: () => void bring(), close: () => setLoaded(undefined) }
}
