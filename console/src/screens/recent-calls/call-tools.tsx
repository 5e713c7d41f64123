import { type ColumnChoice, toIds } from '../../list/views/columns-dialog.tsx'
import { ListViews } from '../../list/views/list-views.tsx'
import { toViewParameters, type ViewParameters } from '../../list/views/view-parameters.ts'
import { type CallSearch, parseCallSearch } from '../../routes/recent-calls.ts'
import { requiredSession } from '../../session/session.ts'
import { ActiveFilters } from './active-filters.tsx'

export interface CallToolsProps {
  search: CallSearch
  change: (to: CallSearch) => void
  /** The account of the list. Empty if it shows all accounts. */
  account_sid: string
  columns: ColumnChoice
}

/** The saved views, the choice of columns, and the buttons of active filters. */
export const CallTools = ({ search, change, account_sid, columns }: CallToolsProps) => {
  const isOfOneAccount = requiredSession().actor.scope === 'account'
  const account = isOfOneAccount ? undefined : account_sid || 'all'
  const open = (parameters: ViewParameters, view: string | undefined) => {
    const cleared = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]))
    change({ ...cleared, ...parseCallSearch(parameters), view })
  }
  return (
    <>
      <ListViews
        screen="recent-calls"
        parameters={toViewParameters({ ...search, account, columns: toIds(columns.current).join(',') })}
        openView={search.view}
        onOpen={open}
        columns={columns}
        onColumns={search.columns === undefined ? undefined : (ids) => change({ columns: ids.join(',') })}
      />
      <ActiveFilters search={search} change={change} />
    </>
  )
}
