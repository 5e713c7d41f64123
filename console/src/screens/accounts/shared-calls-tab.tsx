import { defaultPageSize, type PageSize } from '@patchbay/contract/lists/paging'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { LinkList } from '../../sections/call-shares/link-list.tsx'
import { linksOfAccountQuery } from '../../sections/call-shares/queries.ts'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { Pager } from '../../ui/table/pager.tsx'

/** Lists the links to calls of an account that have not expired. */
export const SharedCallsTab = ({ account_sid }: { account_sid: string }) => {
  const [page, setPage] = useState(1)
  const [size, setSize] = useState<PageSize>(defaultPageSize)
  const query = useQuery(linksOfAccountQuery(account_sid, page, size))
  const { data } = query
  if (data === undefined) return <FormLoading queries={[query]} sections={1} />
  // The last link of a page may have been revoked or have expired.
  const lastPage = Math.max(1, Math.ceil(data.total / size))
  if (page > lastPage) setPage(lastPage)
  if (data.total === 0)
    return (
      <EmptyState
        title="No calls are shared."
        hint="Share a call on the tab Conversation of its page. Links that have expired or were revoked are in the audit trail only."
      />
    )
  return (
    <>
      <RefetchErrorBanner query={query} onRetry={() => void query.refetch()} />
      <LinkList
        label="Links to shared calls"
        account_sid={account_sid}
        links={data.data}
        renderCall={({ call_sid }) => (
          <ScreenLink to={oneCall} params={{ account_sid, call_sid }}>
            Open call <code>{call_sid.slice(0, 8)}</code>
          </ScreenLink>
        )}
      />
      <Pager
        total={data.total}
        page={page}
        size={size}
        onPage={setPage}
        onSize={(next) => {
          setSize(next)
          setPage(1)
        }}
      />
    </>
  )
}
