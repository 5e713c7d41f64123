import { isAtLeast } from '@patchbay/contract/api/access'
import type { OwnedApiKey } from '@patchbay/contract/api-keys'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { likelyProvider, prefetchWithin } from '../../lazy/prefetch.ts'
import { AttentionFilter } from '../../list/attention-filter.tsx'
import { useBulk } from '../../list/bulk/use-bulk.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { allPages } from '../../list/fetch-all-pages.ts'
import { List } from '../../list/list-frame.tsx'
import { useListSearch } from '../../list/use-list-search.ts'
import { useServerList } from '../../list/use-server-list.ts'
import { editAccount } from '../../routes/accounts.ts'
import { apiKeyList, type KeySearch } from '../../routes/api-keys.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { formatKey, keyColumns, keyRowKey } from '../../sections/api-keys/key-columns.tsx'
import { useKeyActions } from '../../sections/api-keys/use-key-actions.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button } from '../../ui/button.tsx'
import { Name } from '../../ui/format/reference.tsx'
import type { Nouns } from '../../ui/format/text.ts'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { ownedKeysQuery, readKeys } from './queries.ts'

const ownerColumn: TableColumn<OwnedApiKey> = {
  id: 'owner',
  header: 'Owner',
  share: 14,
  priority: 3,
  cell: ({ account_sid, account_name }) =>
    account_sid === null ? (
      'Service provider'
    ) : (
      <ScreenLink to={editAccount} params={{ account_sid }}>
        <Name>{account_name ?? account_sid}</Name>
      </ScreenLink>
    ),
}

const toQuery = ({ page = 1, size = defaultPageSize, filter, attention }: KeySearch) => ({
  page: String(page),
  count: String(size),
  filter,
  attention,
})

const AddKey = lazyDialog('add-key', async () => (await import('./add-key.tsx')).AddKey)

const nouns: Nouns = ['key', 'keys']

const keyLink = { rowKey: keyRowKey, toName: formatKey }

const unfiltered = { filter: undefined, attention: undefined }

export const loader = ({ search }: { search: KeySearch }): Promise<unknown> =>
  prefetchWithin(async () => queryClient.ensureQueryData(ownedKeysQuery(await likelyProvider(), toQuery(search))))

/** Lists the API keys of the current service provider and its accounts, or of the caller's own account. */
export const ApiKeysPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const address = useListSearch(apiKeyList)
  const query = toQuery(address.search)
  const keys = useQuery(ownedKeysQuery(service_provider_sid, query))
  const question = [service_provider_sid, query]
  const list = useServerList({ address, query: keys, question, rowKey: keyRowKey, unfiltered })
  const [adding, setAdding] = useState(false)
  const { dialog, ...rowActions } = useKeyActions()
  const chooses = isAtLeast(actor.scope, 'service_provider')
  const denied = viewOnlyReason(actor)
  const bulk = useBulk({
    kind: 'api_key',
    nouns,
    view: list.view,
    pagedFilters: [service_provider_sid, address.search.filter, address.search.attention],
    columns: useMemo(() => (chooses ? [...keyColumns(), ownerColumn] : keyColumns()), [chooses]),
    denied,
    link: keyLink,
    changes: [apiKeysKey],
  })
  return (
    <>
      <List
        {...rowActions}
        {...bulk}
        screen={apiKeyList}
        description={
          actor.scope === 'admin'
            ? 'Programs use a key instead of a password to call the API. Keys with access to the whole platform are in the settings.'
            : 'Programs use a key instead of a password to call the API.'
        }
        nouns={nouns}
        action={
          <Button
            variant="primary"
            icon={<Plus size={16} aria-hidden="true" />}
            disabledReason={denied}
            onClick={() => setAdding(true)}
          >
            Add key
          </Button>
        }
        view={list.view}
        rowKey={keyRowKey}
        search={{ label: 'Filter by name, account, or last four characters', ...list.filter }}
        filters={
          <AttentionFilter kind={address.search.attention} onRemove={() => address.change({ attention: undefined })} />
        }
        more={
          <ExportMenu
            endpoint="GET /patchbay/service-providers/:service_provider_sid/api-keys"
            input={{ params: { service_provider_sid }, query }}
            rows={() => allPages('keys', (page) => readKeys(service_provider_sid, { ...query, ...page }))}
            table="api-keys"
          />
        }
        empty={{ title: 'No API keys yet.', hint: 'Add a key for each program, so that you can delete it alone.' }}
      />
      {adding && <AddKey service_provider_sid={service_provider_sid} onClose={() => setAdding(false)} />}
      {dialog}
    </>
  )
}
