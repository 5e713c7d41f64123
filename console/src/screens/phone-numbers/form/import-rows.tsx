import { type ReactNode, useMemo, useState } from 'react'
import { SelectBox } from '../../../list/bulk/select-box.tsx'
import { StateBadge, type StateTone } from '../../../ui/badge.tsx'
import { Name } from '../../../ui/format/reference.tsx'
import { formatCount } from '../../../ui/format/text.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterSelect } from '../../../ui/table/filter-select.tsx'
import type { TableColumn } from '../../../ui/table/table-props.ts'
import styles from './bulk.module.css'
import { type CheckedRow, isNewPattern } from './import-file.ts'
import { describePattern } from './pattern-examples.ts'

interface ImportRowsProps {
  rows: readonly CheckedRow[]
  /** Line numbers of the rows that the user has excluded. */
  excludedLines: ReadonlySet<number>
  onExcludedLinesChange: (excludedLines: ReadonlySet<number>) => void
  isChoosable: (row: CheckedRow) => boolean
  /** Controls that import the selected rows. */
  children: ReactNode
}

const kinds = ['new', 'pattern', 'changed', 'unchanged', 'wrong', 'imported', 'failed'] as const
type Kind = (typeof kinds)[number]

const getKind = ({ plan, outcome }: CheckedRow): Kind => {
  if (outcome === undefined) return isNewPattern({ plan }) ? 'pattern' : plan.is
  return outcome === 'done' ? 'imported' : 'failed'
}

const tones: Readonly<Record<Kind, StateTone>> = {
  new: 'good',
  pattern: 'warn',
  changed: 'good',
  unchanged: 'neutral',
  wrong: 'bad',
  imported: 'good',
  failed: 'bad',
}

const getReason = (row: CheckedRow): string | null => {
  const { plan, outcome } = row
  if (outcome !== undefined) return outcome === 'done' ? null : outcome
  if (isNewPattern(row)) return `${describePattern(row.plan.number)} Select the row to confirm it.`
  return plan.is === 'wrong' ? plan.why : null
}

const columns: readonly TableColumn<CheckedRow>[] = [
  { id: 'line', header: 'Line', share: 4, align: 'end', nowrap: true, card: 'end', cell: ({ row }) => row.line },
  {
    id: 'number',
    header: 'Number',
    share: 10,
    nowrap: true,
    card: 'name',
    // Shows the number as it will be stored, which can differ from the file.
    cell: ({ row, plan }) => <Name>{plan.is === 'wrong' ? row.number : plan.number}</Name>,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    share: 8,
    nowrap: true,
    card: 'state',
    cell: (row) => <StateBadge tone={tones[getKind(row)]}>{getKind(row)}</StateBadge>,
  },
  { id: 'why', header: 'Why', share: 18, wraps: true, cell: getReason },
  { id: 'carrier', header: 'Carrier', share: 9, priority: 3, cell: ({ row }) => row.carrier || null },
  { id: 'account', header: 'Account', share: 9, priority: 4, cell: ({ row }) => row.account || null },
  {
    id: 'application',
    header: 'Application',
    share: 9,
    priority: 4,
    card: 'detail',
    cell: ({ row }) => row.application || null,
  },
]

const rowKey = ({ row }: CheckedRow) => String(row.line)

/** A checkbox for each selectable row, and one for all of them. */
const chooseColumn = (
  choosable: readonly CheckedRow[],
  excludedLines: ReadonlySet<number>,
  setIncluded: (some: readonly CheckedRow[], on: boolean) => void,
): TableColumn<CheckedRow> => {
  const choosableRows = new Set(choosable)
  // Among numbers, patterns are confirmed one by one. The filter shows only patterns if all of them are meant.
  const common = choosable.every(isNewPattern) ? choosable : choosable.filter((row) => !isNewPattern(row))
  const includedCount = common.filter(({ row }) => !excludedLines.has(row.line)).length
  return {
    id: 'choose',
    header: 'Import',
    share: 3,
    nowrap: true,
    card: 'pick',
    headerCell: (
      <SelectBox
        label="Import all of these rows"
        checked={includedCount > 0 && includedCount === common.length}
        partly={includedCount > 0 && includedCount < common.length}
        onChange={(on) => setIncluded(on ? common : choosable, on)}
      />
    ),
    cell: (row) =>
      choosableRows.has(row) ? (
        <SelectBox
          label={`Import line ${row.row.line}`}
          checked={!excludedLines.has(row.row.line)}
          onChange={(on) => setIncluded([row], on)}
        />
      ) : null,
  }
}

/** Table of the rows in a file with their plans or outcomes. The user selects the rows to import. */
export const ImportRows = ({ rows, excludedLines, onExcludedLinesChange, isChoosable, children }: ImportRowsProps) => {
  const [kind, setKind] = useState<Kind | 'all'>('all')
  const counts = useMemo(() => {
    const countByKind = new Map<Kind, number>()
    for (const row of rows) countByKind.set(getKind(row), (countByKind.get(getKind(row)) ?? 0) + 1)
    return countByKind
  }, [rows])
  const visibleRows = useMemo(() => (kind === 'all' ? rows : rows.filter((row) => getKind(row) === kind)), [rows, kind])

  const withBoxes = useMemo(() => {
    const choosable = visibleRows.filter(isChoosable)
    const setIncluded = (some: readonly CheckedRow[], on: boolean) => {
      const next = new Set(excludedLines)
      for (const { row } of some)
        if (on) next.delete(row.line)
        else next.add(row.line)
      onExcludedLinesChange(next)
    }
    return [chooseColumn(choosable, excludedLines, setIncluded), ...columns]
  }, [visibleRows, excludedLines, onExcludedLinesChange, isChoosable])

  const label = (one: Kind) => `${formatCount(counts.get(one) ?? 0)} ${one}`
  const presentKinds = kinds.filter((one) => counts.has(one))
  return (
    <section aria-label="Rows" className={styles['rows']}>
      <div className={styles['bar']}>
        <output>{presentKinds.map(label).join(', ')}</output>
        <FilterSelect
          label="Show"
          value={kind}
          options={[
            { value: 'all', label: 'all rows' },
            ...presentKinds.map((one) => ({ value: one, label: label(one) })),
          ]}
          onChange={setKind}
        />
        {children}
      </div>
      <DataTable caption="Rows of the file" columns={withBoxes} rows={visibleRows} rowKey={rowKey} state="ready" />
    </section>
  )
}
