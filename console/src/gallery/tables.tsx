import { Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { SortableColumn } from '../list/sort-rows.ts'
import { StateBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { DefinitionList } from '../ui/definition-list.tsx'
import { Sid } from '../ui/format/sid.tsx'
import { RelativeTime } from '../ui/format/time.tsx'
import { Menu } from '../ui/overlay/menu.tsx'
import { DataTable } from '../ui/table/data-table.tsx'
import { Pager } from '../ui/table/pager.tsx'
import type { TableSort } from '../ui/table/table-props.ts'
import { type Carrier, carriers } from './fixtures.ts'
import styles from './gallery.module.css'
import { Part } from './section.tsx'

export const columns: readonly SortableColumn<Carrier>[] = [
  {
    id: 'name',
    header: 'Name',
    share: 16,
    cell: ({ name }) => <a href="#carrier">{name}</a>,
    sortable: true,
    sortBy: ({ name }) => name,
  },
  {
    id: 'sid',
    header: 'SID',
    share: 9,
    nowrap: true,
    priority: 3,
    cell: ({ sid, name }) => <Sid value={sid} of={name} />,
  },
  { id: 'account', header: 'Account', priority: 4, card: 'detail', cell: ({ account }) => account },
  {
    id: 'state',
    header: 'State',
    nowrap: true,
    card: 'state',
    cell: ({ state, word }) => <StateBadge tone={state}>{word}</StateBadge>,
  },
  {
    id: 'gateways',
    header: 'Gateways',
    align: 'end',
    nowrap: true,
    card: 'end',
    cell: ({ gateways }) => gateways,
    sortable: true,
    sortBy: ({ gateways }) => gateways,
  },
  {
    id: 'registered',
    header: 'Registered',
    nowrap: true,
    priority: 2,
    cell: ({ registered }) => <RelativeTime iso={registered} />,
  },
]

export const rowKey = ({ sid }: Carrier): string => sid

export const actions = ({ name }: Carrier) => (
  <Menu
    label={`Actions for ${name}`}
    items={[
      { label: 'Edit', icon: <Pencil aria-hidden="true" />, onSelect: () => {} },
      {
        label: 'Test',
        icon: <RefreshCw aria-hidden="true" />,
        onSelect: () => {},
        disabledReason: 'The carrier is inactive.',
      },
      { label: 'Delete', icon: <Trash2 aria-hidden="true" />, danger: true, onSelect: () => {} },
    ]}
  />
)

const details = {
  renderLabel: ({ name }: Carrier) => `Details of ${name}`,
  render: ({ sid, account, gateways }: Carrier) => (
    <DefinitionList
      entries={[
        ['SID', sid, { mono: true, copy: sid }],
        ['Account', account],
        ['Gateways', gateways, { mono: true }],
      ]}
    />
  ),
}

const rooms = ['wide', 'medium', 'tight', 'cards'] as const

/** A table in all widths, with a row that opens and one that can be highlighted. */
export const Tables = () => {
  const [sort, setSort] = useState<TableSort>({ column: 'name', descending: false })
  const [marked, setMarked] = useState<string>()
  const [page, setPage] = useState(5)
  const [size, setSize] = useState(25)
  return (
    <Part title="Tables">
      <div className={styles.line}>
        <Button onClick={() => setMarked(carriers[2]?.sid)}>Mark a row</Button>
      </div>
      {rooms.map((room) => (
        <div key={room} className={styles[room]}>
          <DataTable
            {...{ columns, rowKey, actions, details, sort }}
            caption={`Carriers, ${room}`}
            rows={carriers}
            state="ready"
            onSort={setSort}
            marked={room === 'wide' ? marked : undefined}
          />
        </div>
      ))}
      <Pager total={250} page={page} size={size} onPage={setPage} onSize={setSize} />
    </Part>
  )
}
