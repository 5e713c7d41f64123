import { useQuery } from '@tanstack/react-query'
import { type ComponentType, useEffect } from 'react'
import { lazyComponentQuery } from './lazy-component-query.ts'
import { showErrorToast } from '../feedback/use-action.ts'

/** A dialog of a list, whose script is no part of what the list waits for; where it does not come, that is told. */
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
