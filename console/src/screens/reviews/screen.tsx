import { isAtLeast } from '@patchbay/contract/api/access'
import { lastDays } from '@patchbay/rules/calls/call-quality'
import type { ReactNode } from 'react'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { AccountFilter, toAccountParam, useChosenAccounts } from '../../list/account-filter.tsx'
import { likelyOwner, PeriodFilter } from '../../list/quality-filters.tsx'
import { canOpen } from '../../routes/define-screen.ts'
import { type ReviewSearch, reviewSettings, reviews } from '../../routes/reviews.ts'
import { ScreenLink, useScreenSearch, useSetSearch } from '../../screen/links.tsx'
import { ConversationsHeader } from '../../sections/conversations-header.tsx'
import { reviewReasonLabels } from '../../sections/review-reasons.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { FilterBar } from '../../ui/table/filter-bar.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { ExportReviews } from './export-reviews.tsx'
import { type ReviewQuery, reviewListQuery } from './queries.ts'
import { ReviewTable } from './review-table.tsx'

const defaultDays = '30'

const stateOptions = [
  { value: 'to_review', label: 'to review' },
  { value: 'reviewed', label: 'reviewed' },
] as const

const all = 'all'

const reasonOptions = [
  { value: all, label: 'all' },
  ...Object.entries(reviewReasonLabels).map(([value, label]) => ({ value, label: label.toLowerCase() })),
]

const assigneeOptions = [
  { value: all, label: 'all' },
  { value: 'me', label: 'me' },
  { value: 'none', label: 'unassigned' },
]

const scoreOptions = [
  { value: all, label: 'all' },
  ...['1', '2', '3', '4'].map((score) => ({ value: score, label: score === '1' ? '1' : `${score} or lower` })),
]

/** Returns the value in the URL if it is an option, or `all`. */
const toOption = (options: readonly { value: string }[], value: string | undefined): string =>
  options.some((option) => option.value === value) ? (value ?? all) : all

const unlessDefault = (value: string): string | undefined => (value === all ? undefined : value)

const toState = (state: string | undefined) => (state === 'reviewed' ? state : 'to_review')

const toQuery = ({ days = defaultDays, state, reason, assignee, max_score }: ReviewSearch): ReviewQuery => {
  const isReviewed = toState(state) === 'reviewed'
  const filters = {
    reason: unlessDefault(toOption(reasonOptions, reason)),
    assignee: unlessDefault(toOption(assigneeOptions, assignee)),
    max_score: isReviewed ? unlessDefault(toOption(scoreOptions, max_score)) : undefined,
  }
  // The options of the filters are values of the API.
  return { ...lastDays(Number(days)), state: toState(state), ...filters } as ReviewQuery
}

export const loader = ({ search }: { search: ReviewSearch }): Promise<unknown> =>
  prefetchWithin(async () =>
    queryClient.ensureQueryData(reviewListQuery(await likelyOwner(search.account), toQuery(search))),
  )

/** Lists the calls to review, and the reviewed ones. */
export const ReviewsPage = (): ReactNode => {
  const { actor } = requiredSession()
  const search = useScreenSearch<ReviewSearch>(reviews)
  const setSearch = useSetSearch(reviews)
  const service_provider_sid = useProviderSid()
  const { account_sid, accounts, isKnown } = useChosenAccounts(search.account)
  const owner: OwnerSid = account_sid ? { account_sid } : { service_provider_sid }
  const change = (part: Partial<ReviewSearch>) => void setSearch({ ...search, ...part })
  const state = toState(search.state)
  const query = toQuery(search)
  const accountNames = new Map(account_sid ? [] : accounts.data?.map((account) => [account.account_sid, account.name]))
  return (
    <>
      <ConversationsHeader
        screen={reviews}
        search={search}
        description="Rate calls of voice agents. Slow, interrupted, and failed calls and a random sample are listed for review."
        actions={
          canOpen(reviewSettings, actor) && (
            <ScreenLink to={reviewSettings} className={buttonClass('secondary')}>
              Settings
            </ScreenLink>
          )
        }
      />
      <FilterBar actions={isKnown && <ExportReviews owner={owner} query={query} />}>
        <FilterSelect
          label="Calls"
          value={state}
          options={stateOptions}
          onChange={(next) => change({ state: next === 'reviewed' ? next : undefined, max_score: undefined })}
        />
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountFilter all value={account_sid} onChange={(account) => change({ account: toAccountParam(account) })} />
        )}
        <FilterSelect
          label="Reason"
          value={toOption(reasonOptions, search.reason)}
          options={reasonOptions}
          onChange={(reason) => change({ reason: unlessDefault(reason) })}
        />
        <FilterSelect
          label="Assigned to"
          value={toOption(assigneeOptions, search.assignee)}
          options={assigneeOptions}
          onChange={(assignee) => change({ assignee: unlessDefault(assignee) })}
        />
        {state === 'reviewed' && (
          <FilterSelect
            label="Score"
            value={toOption(scoreOptions, search.max_score)}
            options={scoreOptions}
            onChange={(max_score) => change({ max_score: unlessDefault(max_score) })}
          />
        )}
        <PeriodFilter
          days={search.days}
          unset={defaultDays}
          onChange={(days) => change({ days: days === defaultDays ? undefined : days })}
        />
      </FilterBar>
      {isKnown && <ReviewTable owner={owner} query={query} accountNames={accountNames} />}
    </>
  )
}
