import { Building2, Pencil, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { StateBadge, type StateTone } from './badge.tsx'
import { Button } from './button.tsx'
import { DataTable, type TableColumn, type TableSort } from './data-table.tsx'
import { DefinitionList } from './definition-list.tsx'
import { FilterBar, FilterSelect, SearchField } from './filter-bar.tsx'
import { accounts, Part } from './gallery-part.tsx'
import { EmptyState, FilteredEmptyState, Forbidden, LoadFailed } from './list-state.tsx'
import { Menu } from './menu.tsx'
import { Pager } from './pager.tsx'
import { SearchSelect } from './search-select.tsx'
import { Sid } from './sid.tsx'
import { RelativeTime } from './time.tsx'

interface Carrier {
  sid: string
  name: string
  account: string
  state: StateTone
  word: string
  gateways: number
  registered: string
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

const carriers: readonly Carrier[] = [
  {
    sid: '9351f46a-678c-43f5-b8a6-d4eb58d131af',
    name: 'Nordlicht SIP',
    account: 'All accounts',
    state: 'good',
    word: 'Registered',
    gateways: 4,
    registered: minutesAgo(2),
  },
  {
    sid: 'a2b9d1c0-11f2-4d19-9f3e-3cf1c1a0b7aa',
    name: 'Harbour Voice',
    account: 'Acme',
    state: 'bad',
    word: 'Failed',
    gateways: 2,
    registered: minutesAgo(190),
  },
  {
    sid: '5f190a4f-b997-4592-81bd-6c6e5b7c7c01',
    name: 'Twin Peaks Telecom',
    account: 'Acme',
    state: 'warn',
    word: 'Expiring',
    gateways: 12,
    registered: minutesAgo(2900),
  },
  {
    sid: '0e1f4b9c-4c1f-4a1e-8f0a-77a6a4f7e0d2',
    name: 'A carrier with quite a long name that has to wrap somewhere',
    account: 'Umbrella',
    state: 'neutral',
    word: 'Inactive',
    gateways: 1,
    registered: minutesAgo(90_000),
  },
]

const columns: readonly TableColumn<Carrier>[] = [
  { id: 'name', header: 'Name', sortable: true, cell: ({ name }) => <a href="#carrier">{name}</a> },
  { id: 'sid', header: 'SID', share: 9, cell: ({ sid, name }) => <Sid value={sid} of={name} /> },
  { id: 'account', header: 'Account', least: 'wide', cell: ({ account }) => account },
  { id: 'state', header: 'State', cell: ({ state, word }) => <StateBadge tone={state}>{word}</StateBadge> },
  { id: 'gateways', header: 'Gateways', align: 'end', sortable: true, cell: ({ gateways }) => gateways },
  { id: 'registered', header: 'Registered', cell: ({ registered }) => <RelativeTime iso={registered} /> },
]

const rowActions = ({ name }: Carrier, remove: () => void) => (
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
      { label: 'Delete', icon: <Trash2 aria-hidden="true" />, danger: true, onSelect: remove },
    ]}
  />
)

/** Lists in all their states. */
export const GalleryLists = () => {
  const [filter, setFilter] = useState('')
  const [direction, setDirection] = useState('either')
  const [account, setAccount] = useState('AWS')
  const [page, setPage] = useState(5)
  const [size, setSize] = useState(25)
  const [sort, setSort] = useState<TableSort>({ column: 'name', descending: false })
  const [rows, setRows] = useState(carriers)
  const remove = (gone: Carrier) => setRows(rows.filter((row) => row !== gone))
  const shown = {
    caption: 'Carriers',
    columns,
    rowKey: ({ sid }: Carrier) => sid,
    actions: (row: Carrier) => rowActions(row, () => remove(row)),
  }
  const details = {
    label: ({ name }: Carrier) => `Details of ${name}`,
    render: ({ sid, account: owner, gateways }: Carrier) => (
      <DefinitionList
        entries={[
          ['SID', sid, { mono: true, copy: sid }],
          ['Account', owner],
          ['Gateways', gateways, { mono: true }],
        ]}
      />
    ),
  }
  return (
    <Part title="Lists">
      <div>
        <FilterBar>
          <SearchField label="Filter carriers" value={filter} onChange={setFilter} />
          <SearchSelect
            label="Account"
            value={account}
            options={accounts}
            onChange={setAccount}
            allOption="All accounts"
          />
          <FilterSelect
            label="Direction"
            value={direction}
            options={[
              { value: 'either', label: 'Either' },
              { value: 'inbound', label: 'Inbound' },
            ]}
            onChange={setDirection}
          />
        </FilterBar>
        <DataTable {...shown} rows={rows} state="ready" details={details} sort={sort} onSort={setSort} />
        <Pager total={250} page={page} size={size} onPage={setPage} onSize={setSize} />
      </div>
      <DataTable {...shown} rows={carriers.slice(0, 2)} state="refreshing" />
      <DataTable {...shown} rows={[]} state="loading" skeletonRows={3} />
      <DataTable
        {...shown}
        rows={[]}
        state="ready"
        empty={
          <EmptyState
            icon={<Building2 />}
            title="No carriers."
            hint="A carrier connects your numbers to the telephone network."
            action={<Button variant="primary">Add carrier</Button>}
          />
        }
      />
      <DataTable {...shown} rows={[]} state="ready" empty={<FilteredEmptyState onClear={() => setFilter('')} />} />
      <LoadFailed message="The server cannot be reached." onRetry={() => {}} />
      <Forbidden />
    </Part>
  )
}
