import { useState } from 'react'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { type ColumnChoice, toIds } from '../../list/views/columns-dialog.tsx'
import { ListViews } from '../../list/views/list-views.tsx'
import { toViewParameters, type ViewParameters } from '../../list/views/view-parameters.ts'
import { type CallSearch, parseCallSearch } from '../../routes/recent-calls.ts'
import { requiredSession } from '../../session/session.ts'
import { AddFilter } from '../../ui/table/add-filter.tsx'
import { ActiveFilters } from './active-filters.tsx'

const FiltersDialog = lazyDialog('call-filters', async () => (await import('./filters-dialog.tsx')).FiltersDialog)

export interface CallToolsProps {
  search: CallSearch
  change: (to: CallSearch) => void
  /** The account of the list. Empty if it shows all accounts. */
  account_sid: string
  columns: ColumnChoice
  /** Shows the saved views and the choice of columns, and not the active filters. */
  views?: boolean
}

/** Shows the active filters that have no control in the list, and opens the dialog that adds one. */
const Filters = (props: CallToolsProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActiveFilters {...props} />
      <AddFilter onClick={() => setOpen(true)} />
      {isOpen && <FiltersDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

const Views = ({ search, change, account_sid, columns }: CallToolsProps) => {
  const isOfOneAccount = requiredSession().actor.scope === 'account'
  const account = isOfOneAccount ? undefined : account_sid || 'all'
  const open = (parameters: ViewParameters, view: string | undefined) => {
    const cleared = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    change({ ...cleared, ...parseCallSearch(parameters), view })
  }
  return (
    <ListViews
      screen="recent-calls"
      parameters={toViewParameters({ ...search, account, columns: toIds(columns.current).join(',') })}
      openView={search.view}
      onOpen={open}
      columns={columns}
      onColumns={search.columns === undefined ? undefined : (ids) => change({ columns: ids.join(',') })}
    />
  )
}

/** The filters without a control of their own, or the saved views and the columns. They stand at different places. */
export const CallTools = ({ views = false, ...props }: CallToolsProps) =>
  views ? <Views {...props} /> : <Filters {...props} />
