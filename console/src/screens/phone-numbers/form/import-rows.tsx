import type { RowPlan } from '@patchbay/contract/phone-number/import'
import { type ReactNode, useMemo, useState } from 'react'
import { type StateTone, StateBadge } from '../../../ui/badge.tsx'
import { DataTable, type TableColumn } from '../../../ui/data-table.tsx'
import { FilterSelect } from '../../../ui/filter-bar.tsx'
import { Name } from '../../../ui/reference.tsx'
import styles from './bulk.module.css'
import { SelectBox } from '../row-checkbox.tsx'
import type { FileRow } from './file-rows.ts'

export interface CheckedRow {
  row: FileRow
  plan: RowPlan
  /** once it was tried: done, or why not */
  outcome: string | undefined
}

interface ImportRowsProps {
  rows: readonly CheckedRow[]
  /** the lines that are not to be imported */
  left: ReadonlySet<number>
  onLeave: (left: ReadonlySet<number>) => void
  isChoosable: (row: CheckedRow) => boolean
  /** what is done with the rows that are chosen */
  children: ReactNode
}

const kinds = ['new', 'changed', 'unchanged', 'wrong', 'imported', 'failed'] as const
type Kind = (typeof kinds)[number]

const kindOf = ({ plan, outcome }: CheckedRow): Kind => {
  if (outcome === undefined) return plan.is
  return outcome === 'done' ? 'imported' : 'failed'
}

const tones: Readonly<Record<Kind, StateTone>> = {
  new: 'good',
  changed: 'good',
  unchanged: 'neutral',
  wrong: 'bad',
  imported: 'good',
  failed: 'bad',
}

const whyOf = ({ plan, outcome }: CheckedRow): string | null => {
  if (outcome !== undefined) return outcome === 'done' ? null : outcome
  return plan.is === 'wrong' ? plan.why : null
}

const columns: readonly TableColumn<CheckedRow>[] = [
  { id: 'line', header: 'Line', share: 4, align: 'end', cell: ({ row }) => row.line },
  {
    id: 'number',
    header: 'Number',
    share: 10,
    // As it is stored, which may not be as it is written.
    cell: ({ row, plan }) => <Name>{plan.is === 'wrong' ? row.number : plan.number}</Name>,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    share: 8,
    cell: (row) => <StateBadge tone={tones[kindOf(row)]}>{kindOf(row)}</StateBadge>,
  },
  { id: 'why', header: 'Why', share: 18, named: true, cell: whyOf },
  { id: 'carrier', header: 'Carrier', share: 9, minWidth: 'wide', named: true, cell: ({ row }) => row.carrier || null },
  { id: 'account', header: 'Account', share: 9, minWidth: 'wide', named: true, cell: ({ row }) => row.account || null },
  {
    id: 'application',
    header: 'Application',
    share: 9,
    minWidth: 'wide',
    named: true,
    cell: ({ row }) => row.application || null,
  },
]

const rowKey = ({ row }: CheckedRow) => String(row.line)

/** The box of each row that can be chosen, and one for all of them. */
const chooseColumn = (
  choosable: readonly CheckedRow[],
  left: ReadonlySet<number>,
  leave: (some: readonly CheckedRow[], on: boolean) => void,
): TableColumn<CheckedRow> => {
  const taken = choosable.filter(({ row }) => !left.has(row.line)).length
  const can = new Set(choosable)
  return {
    id: 'choose',
    header: 'Import',
    share: 3,
    headerCell: (
      <SelectBox
        label="Import all of these rows"
        checked={taken > 0 && taken === choosable.length}
        partly={taken > 0 && taken < choosable.length}
        onChange={(on) => leave(choosable, on)}
      />
    ),
    cell: (row) =>
      can.has(row) ? (
        <SelectBox
          label={`Import line ${row.row.line}`}
          checked={!left.has(row.row.line)}
          onChange={(on) => leave([row], on)}
        />
      ) : null,
  }
}

/** What becomes of each row of a file, and which of them are chosen. */
export const ImportRows = ({ rows, left, onLeave, isChoosable, children }: ImportRowsProps) => {
  const [kind, setKind] = useState<Kind | 'all'>('all')
  const counts = useMemo(() => {
    const found = new Map<Kind, number>()
    for (const row of rows) found.set(kindOf(row), (found.get(kindOf(row)) ?? 0) + 1)
    return found
  }, [rows])
  const shown = useMemo(() => (kind === 'all' ? rows : rows.filter((row) => kindOf(row) === kind)), [rows, kind])

  const withBoxes = useMemo(() => {
    const choosable = shown.filter(isChoosable)
    const leave = (some: readonly CheckedRow[], on: boolean) => {
      const next = new Set(left)
      for (const { row } of some)
        if (on) next.delete(row.line)
        else next.add(row.line)
      onLeave(next)
    }
    return [chooseColumn(choosable, left, leave), ...columns]
  }, [shown, left, onLeave, isChoosable])

  const label = (one: Kind) => `${(counts.get(one) ?? 0).toLocaleString('en')} ${one}`
  const there = kinds.filter((one) => counts.has(one))
  return (
    <section aria-label="Rows" className={styles['rows']}>
      <div className={styles['bar']}>
        <output>{there.map(label).join(', ')}</output>
        <FilterSelect
          label="Show"
          value={kind}
          options={[{ value: 'all', label: 'all rows' }, ...there.map((one) => ({ value: one, label: label(one) }))]}
          onChange={setKind}
        />
        {children}
      </div>
      <DataTable caption="Rows of the file" columns={withBoxes} rows={shown} rowKey={rowKey} state="ready" />
    </section>
  )
}
