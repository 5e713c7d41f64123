import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import type { CallToolsProps } from './call-tools.tsx'

const FiltersDialog = lazyDialog('call-filters', async () => (await import('./filters-dialog.tsx')).FiltersDialog)

/** Loads the tools of the list, concurrently with its data. */
export const callToolsQuery = lazyComponentQuery('call-tools', async () => (await import('./call-tools.tsx')).CallTools)

/** Opens the filters that have no control in the list. Shows the active ones, the saved views, and the columns. */
export const FilterTools = (props: CallToolsProps) => {
  const [isOpen, setOpen] = useState(false)
  const tools = useQuery(callToolsQuery)
  return (
    <>
      <Button onClick={() => setOpen(true)}>More filters</Button>
      {tools.data && <tools.data.Part {...props} />}
      {tools.isError && <Button onClick={() => void tools.refetch()}>Load views and active filters</Button>}
      {isOpen && <FiltersDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
