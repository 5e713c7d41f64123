import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import type { QueryKey } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { config } from '../../api/configuration.ts'
import type { RecordLink } from '../../routes/record-link.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { lazyExtra } from '../../ui/lazy-extra.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import type { ListView } from '../list-frame.tsx'
import { useCurrentBulkChange } from './current-change.ts'
import { selectColumn } from './select-column.tsx'

const loadParts = () => import('./bulk-parts.ts')
const BulkBar = lazyExtra(async () => (await loadParts()).BulkBar)
const BulkProgress = lazyExtra(async () => (await loadParts()).BulkProgress)

interface BulkOptions<Row extends object> {
  kind: BulkKindName
  nouns: Nouns
  /** The displayed rows match the filters, or are those of the page. Selected rows that do not match are not changed. */
  view: Pick<ListView<Row>, 'rows' | 'query'>
  /** The filters of a list that the server pages. Its selection is kept on other pages, and ends if they change. */
  pagedFilters?: unknown
  columns: readonly TableColumn<Row>[]
  link: Pick<RecordLink<Row, string>, 'rowKey' | 'toName'>
  /** The reason why the user cannot change records. */
  denied: string | undefined
  /** Keys of the queries that a bulk change outdates. */
  changes: readonly QueryKey[]
}

const nothing: ReadonlySet<string> = new Set()
const none: readonly never[] = []

/**
 * Adds the selection of rows to a list of records, a bar that changes the selected ones, and the progress of the last
 * bulk change. The list is unchanged on a server without bulk changes.
 */
export const useBulk = <Row extends object>(options: BulkOptions<Row>) => {
  const { kind, nouns, view, pagedFilters, columns, link } = options
  const question = JSON.stringify(pagedFilters)
  const [state, setState] = useState({ question, selected: nothing })
  const current = useCurrentBulkChange(kind)
  const selected = state.question === question ? state.selected : nothing
  const listed = view.rows ?? none
  const isOutdated = view.query.isPlaceholderData
  const chosenRows = listed.filter((row) => selected.has(link.rowKey(row)))
  const chosen = chosenRows.map(link.rowKey)
  const howMany = chosen.length === 0 ? 'none' : chosen.length === listed.length ? 'all' : 'some'
  const withSelection = useMemo(() => {
    const column = selectColumn<Row>({
      allLabel: `Select all ${question === undefined ? nouns[1] : 'on this page'}`,
      rows: listed,
      isOutdated,
      selected: howMany,
      toName: link.toName,
      isSelected: (row) => selected.has(link.rowKey(row)),
      onSelect: (some, on) => {
        const after = new Set(selected)
        for (const row of some) after[on ? 'add' : 'delete'](link.rowKey(row))
        setState({ question, selected: after })
      },
    })
    // The first column is the name on a card, also behind the selection.
    return [column, ...columns.map((each, nth) => (nth === 0 ? { card: 'name' as const, ...each } : each))]
  }, [columns, listed, isOutdated, howMany, selected, question, link, nouns])
  const sids = question === undefined ? chosen : [...selected]
  const clear = () => setState({ question, selected: nothing })
  if (!config().extensions.has('bulk-changes')) return { columns }
  return {
    columns: withSelection,
    selection: sids.length > 0 && (
      <BulkBar {...options} sids={sids} rows={chosenRows} onClear={clear} onStarted={clear} />
    ),
    above: current !== undefined && <BulkProgress {...options} key={current} sid={current} />,
  }
}
