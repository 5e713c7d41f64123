import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { lazyComponentQuery } from './lazy-component-query.ts'
import { showErrorToast } from '../feedback/use-action.ts'

/** A dialog whose chunk the list does not wait for. A chunk that fails to load is reported. */
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
