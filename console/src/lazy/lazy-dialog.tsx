import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { showErrorToast } from '../feedback/use-action.ts'
import { lazyComponentQuery } from './lazy-component-query.ts'

/**
 * Creates a dialog whose chunk loads when the dialog opens, so that the page does not wait for it. If the chunk fails
 * to load, an error is shown and the dialog closes.
 */
export const lazyDialog = <Props extends { onClose: () => void }>(
  name: string,
  load: () => Promise<ComponentType<Props>>,
) =>
  function LazyDialog(props: Props) {
    const { onClose } = props
    const { data, error } = useQuery(lazyComponentQuery(name, load))
    useEffect(() => {
      if (!error || data) return
      showErrorToast(error)
      onClose()
    }, [error, data, onClose])
    return data && <data.Part {...props} />
  }
