import { maxFoundCalls } from '@patchbay/contract/conversations/transcript-query'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import { useQuery } from '@tanstack/react-query'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { EmptyState, Forbidden } from '../../ui/table/list-state.tsx'
import { FoundCalls } from './found-calls.tsx'
import { conversationSearchQuery, type SearchQuery } from './queries.ts'
import styles from './search.module.css'

interface ResultsProps {
  owner: OwnerSid
  query: SearchQuery
  accountNames: ReadonlyMap<string, string>
  page: number
  onPage: (page: number) => void
}

/** Says why the user cannot search, and leads to the setting of the account. */
const NoAccess = ({ owner: { account_sid }, error }: { owner: OwnerSid; error: Error }) => (
  <Forbidden
    title="You cannot search in these transcripts."
    hint={errorMessage(error)}
    action={
      account_sid !== undefined && (
        <ScreenLink to={editAccount} params={{ account_sid }}>
          Open the account
        </ScreenLink>
      )
    }
  />
)

/** Shows a page of the calls that a search finds, or why there are none. */
export const Results = ({ owner, query, accountNames, page, onPage }: ResultsProps) => {
  const search = useQuery(conversationSearchQuery(owner, query))
  const { data, error } = search
  if (error instanceof ApiError && error.status === 403) return <NoAccess owner={owner} error={error} />
  if (data === undefined) return <FormLoading queries={[search]} sections={3} />
  if (data.data.length === 0 && page === 1)
    return (
      <EmptyState
        title="No calls found."
        hint="Check the spelling, use fewer words, or choose a longer period. Words have to be written in full."
      />
    )
  const isLast = !data.has_more
  const isLimited = isLast && (page + 1) * defaultPageSize > maxFoundCalls
  return (
    <div aria-busy={search.isPlaceholderData}>
      <RefetchErrorBanner query={search} onRetry={() => void search.refetch()} />
      <FoundCalls calls={data.data} accountNames={accountNames} />
      {(page > 1 || !isLast) && (
        <nav aria-label="Pages" className={styles['pages']}>
          <Button
            disabledReason={page === 1 ? 'These are the newest calls.' : undefined}
            onClick={() => onPage(page - 1)}
          >
            Newer
          </Button>
          <span>Page {page}</span>
          <Button disabledReason={isLast ? 'There are no older calls.' : undefined} onClick={() => onPage(page + 1)}>
            Older
          </Button>
          {isLimited && <span className="note">The search shows the {formatCount(maxFoundCalls)} newest calls.</span>}
        </nav>
      )}
    </div>
  )
}
