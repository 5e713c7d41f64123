import { useQuery } from '@tanstack/react-query'
import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { Button } from '../../ui/button.tsx'
import { FiltersRoom } from '../../ui/table/filter-bar.tsx'
import type { CallToolsProps } from './call-tools.tsx'

/** Loads the tools of the list, concurrently with its data. */
export const callToolsQuery = lazyComponentQuery('call-tools', async () => (await import('./call-tools.tsx')).CallTools)

/** Shows the filters that have no control in the list, or the saved views and the choice of columns. */
export const FilterTools = (props: CallToolsProps) => {
  const tools = useQuery(callToolsQuery)
  if (tools.data) return <tools.data.Part {...props} />
  if (!tools.isError) return <FiltersRoom icons={props.views} />
  return !props.views && <Button onClick={() => void tools.refetch()}>Load views and active filters</Button>
}
