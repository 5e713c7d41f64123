import { type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ExportMenu } from '../list/export-menu.tsx'
import { List } from '../list/list-frame.tsx'
import { highlightRow } from '../list/list-navigation-state.ts'
import { useClientList } from '../list/use-client-list.ts'
import { defineScreen } from '../routes/define-screen.ts'
import { listSearch } from '../routes/list-search-params.ts'
import { useNavigateTo } from '../screen/links.tsx'
import { Button } from '../ui/button.tsx'
import { SearchSelect } from '../ui/fields/search-select.tsx'
import { FilterSelect } from '../ui/table/filter-select.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { accounts, type Carrier, carriers } from './fixtures.ts'
import { Part } from './section.tsx'
import { actions, columns, rowKey } from './tables.tsx'

const development = defineScreen({ path: '/', title: 'Development' })
export const carrierList = defineScreen({
  path: '/carriers',
  title: 'Carriers',
  search: listSearch,
  parent: development,
})

const never = () => new Promise<Carrier[]>(() => {})
const fail = async (status: number): Promise<Carrier[]> => {
  throw new ApiError('rejected', status, 'The database cannot be reached.', { requestId: 'req-4f2a9c1e' })
}
const readBefore = { initialDataUpdatedAt: () => Date.now() - 12_000 }

/** The queries that put the list into each of its states. */
const states = {
  ready: { queryFn: async () => carriers },
  loading: { queryFn: never },
  'another page': { queryFn: never, placeholderData: carriers },
  empty: { queryFn: async () => [] },
  'filtered to nothing': { queryFn: async () => carriers },
  failed: { queryFn: () => fail(500) },
  forbidden: { queryFn: () => fail(403) },
  'failed refresh': { queryFn: () => fail(500), initialData: carriers, ...readBefore },
  'new rows': { queryFn: async () => carriers, initialData: carriers.slice(2), ...readBefore },
  changed: { queryFn: async () => carriers },
} satisfies Record<string, Omit<UseQueryOptions<Carrier[]>, 'queryKey'>>

type State = keyof typeof states
const stateNames = Object.keys(states) as State[]

const getSearchValues = ({ name, sid }: Carrier) => [name, sid]

const Carriers = ({ state }: { state: State }) => {
  const [direction, setDirection] = useState('either')
  const [account, setAccount] = useState('AWS')
  const read: Omit<UseQueryOptions<Carrier[]>, 'queryKey'> = states[state]
  const query = useQuery({ ...read, queryKey: ['carriers', state], gcTime: 0 })
  const list = useClientList({
    screen: carrierList,
    query,
    question: state,
    columns,
    rowKey,
    searchValues: getSearchValues,
  })
  return (
    <List
      {...list.table}
      screen={carrierList}
      description="SIP and SMPP trunks that connect your numbers to the telephone network."
      nouns={['carrier', 'carriers']}
      view={list.view}
      action={<Button variant="primary">Add carrier</Button>}
      search={{ label: 'Filter carriers', ...list.filter, pending: state === 'another page' }}
      filters={
        <>
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
        </>
      }
      actions={actions}
      more={<ExportMenu endpoint="GET /ServiceProviders" input={{}} rows={() => list.view.rows} table="carriers" />}
      empty={{
        title: 'No carriers.',
        hint: 'A carrier connects your numbers to the telephone network.',
        action: <Button variant="primary">Add carrier</Button>,
      }}
    />
  )
}

/** The list of every resource, in each of its states. */
export const Lists = () => {
  const [state, setState] = useState<State>('ready')
  const go = useNavigateTo()
  const show = (next: State) => {
    if (next === 'changed') highlightRow(carrierList, carriers[1]?.sid ?? '')
    void go({ to: carrierList, search: next === 'filtered to nothing' ? { filter: 'no such carrier' } : {} })
    setState(next)
  }
  return (
    <Part title="List">
      <Tabs
        label="State of the list"
        tabs={stateNames.map((id) => ({ id, label: id }))}
        selected={state}
        onSelect={show}
      >
        <Carriers key={state} state={state} />
      </Tabs>
    </Part>
  )
}
