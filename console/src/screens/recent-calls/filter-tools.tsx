import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { Button } from '../../ui/button.tsx'
import { unnarrowed } from './call-filters.ts'

const FiltersDialog = lazyDialog('call-filters', async () => (await import('./filters-dialog.tsx')).FiltersDialog)

/** Loads the buttons of active filters. Lists without such filters do not need them. */
export const activeFiltersQuery = lazyComponentQuery(
  'active-call-filters',
  async () => (await import('./active-filters.tsx')).ActiveFilters,
)

/** Returns whether a search has filters without a control in the list. */
export const isNarrowed = (search: CallSearch): boolean =>
  Object.keys(unnarrowed).some((name) => Reflect.get(search, name) !== undefined)

interface FilterToolsProps {
  search: CallSearch
  change: (to: CallSearch) => void
  /** The account of the list. Empty if it shows all accounts. */
  account_sid: string
}

/** Shows the filters that have no control in the list, and opens their dialog. */
export const FilterTools = ({ search, change, account_sid }: FilterToolsProps) => {
  const [isOpen, setOpen] = useState(false)
  const active = useQuery({ ...activeFiltersQuery, enabled: isNarrowed(search) })
  return (
    <>
      <Button onClick={() => setOpen(true)}>More filters</Button>
      {active.data && <active.data.Part search={search} change={change} />}
      {active.isError && <Button onClick={() => void active.refetch()}>Show active filters</Button>}
      {isOpen && (
        <FiltersDialog search={search} account_sid={account_sid} change={change} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
