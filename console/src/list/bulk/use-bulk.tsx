import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import type { QueryKey } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { config } from '../../api/configuration.ts'
import type { RecordLink } from '../../routes/record-link.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { lazyExtra } from '../../ui/lazy-extra.tsx'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { readBulkChange } from './current-change.ts'
import { SelectBox } from './select-box.tsx'

const BulkBar = lazyExtra(async () => (await import('./bulk-bar.tsx')).BulkBar)
const BulkProgress = lazyExtra(async () => (await import('./bulk-progress.tsx')).BulkProgress)

interface BulkOptions<Row, Path extends string> {
  kind: BulkKindName
  nouns: Nouns
  /** The rows that match the filters. Selected rows that do not match are not changed. */
  rows: readonly Row[] | undefined
  columns: readonly TableColumn<Row>[]
  link: RecordLink<Row, Path>
  /** The reason why the user cannot change records. */
  denied: string | undefined
  /** Keys of the queries that a bulk change outdates. */
  changes: readonly QueryKey[]
}

const nothing: ReadonlySet<string> = new Set()

/**
 * Adds the selection of rows to a list of records, a bar that changes the selected ones, and the progress of the last
 * bulk change. The list is unchanged on a server without bulk changes.
 */
export const useBulk = <Row, Path extends string>(options: BulkOptions<Row, Path>) => {
  const { kind, nouns, rows, columns, link, denied, changes } = options
  const [selected, setSelected] = useState(nothing)
  const [current, setCurrent] = useState(() => readBulkChange(kind))
  const chosen = useMemo(() => (rows ?? []).filter((row) => selected.has(link.rowKey(row))), [rows, selected, link])
  const withSelection = useMemo(() => {
    const select = (some: readonly Row[], on: boolean) =>
      setSelected((before) => {
        const after = new Set(before)
        for (const row of some) after[on ? 'add' : 'delete'](link.rowKey(row))
        return after
      })
    const column: TableColumn<Row> = {
      id: 'select',
      header: 'Select',
      share: 2,
      nowrap: true,
      card: 'pick',
      headerCell: (
        <SelectBox
          label={`Select all ${nouns[1]}`}
          checked={chosen.length > 0 && chosen.length === rows?.length}
          partly={chosen.length > 0 && chosen.length !== rows?.length}
          onChange={(on) => select(rows ?? [], on)}
        />
      ),
      cell: (row) => (
        <SelectBox
          label={`Select ${link.toName(row) ?? ''}`}
          checked={selected.has(link.rowKey(row))}
          onChange={(on) => select([row], on)}
        />
      ),
    }
    // The first column is the name on a card, also behind the selection.
    return [column, ...columns.map((each, nth) => (nth === 0 ? { card: 'name' as const, ...each } : each))]
  }, [columns, rows, chosen, selected, link, nouns])
  if (!config().extensions.has('bulk-changes')) return { columns }
  const common = { kind, nouns, changes }
  return {
    columns: withSelection,
    selection: chosen.length > 0 && (
      <BulkBar
        {...common}
        denied={denied}
        sids={chosen.map(link.rowKey)}
        onClear={() => setSelected(nothing)}
        onStarted={(sid) => {
          setSelected(nothing)
          setCurrent(sid)
        }}
      />
    ),
    above: current !== undefined && (
      <BulkProgress {...common} key={current} sid={current} onClose={() => setCurrent(undefined)} />
    ),
  }
}
