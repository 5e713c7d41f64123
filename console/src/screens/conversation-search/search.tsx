import { isAtLeast } from '@patchbay/contract/api/access'
import {
  maxQueryTerms,
  parseTranscriptQuery,
  type TranscriptQueryError,
} from '@patchbay/contract/conversations/transcript-query'
import { defaultPageSize } from '@patchbay/contract/lists/paging'
import type { ReactNode } from 'react'
import type { OwnerSid } from '../../api/record-queries.ts'
import { ApplicationField } from '../../fields/application-field.tsx'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { AccountFilter, toAccountParam, useChosenAccounts } from '../../list/account-filter.tsx'
import { PeriodFilter } from '../../list/quality-filters.tsx'
import { useDebouncedFilter } from '../../list/use-debounced-filter.ts'
import { useListSearch } from '../../list/use-list-search.ts'
import { type ConversationSearch, conversationSearch } from '../../routes/conversation-search.ts'
import { ConversationsHeader } from '../../sections/conversations-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { FilterBar, SearchField } from '../../ui/table/filter-bar.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'

const defaultDays = '30'

const speakerOptions = [
  { value: 'either', label: 'either' },
  { value: 'caller', label: 'caller or called party' },
  { value: 'agent', label: 'agent' },
] as const

const queryErrors: Readonly<Record<TranscriptQueryError, string>> = {
  no_words: 'Enter a word to search for. Words with a minus sign only exclude calls.',
  too_many_words: `Enter ${maxQueryTerms} words at most.`,
  unclosed_quote: 'Enclose a phrase in two quotation marks.',
}

/** Returns what is wrong with the searched text, or undefined. */
const findError = (text: string): string | undefined => {
  const parsed = parseTranscriptQuery(text)
  return typeof parsed === 'string' ? queryErrors[parsed] : undefined
}

/** Returns the speaker in the URL, or `either`. */
const toSpeaker = (speaker: string | undefined) =>
  speakerOptions.find(({ value }) => value === speaker)?.value ?? 'either'

const toSpeakerParam = (speaker: string | undefined) => {
  const chosen = toSpeaker(speaker)
  return chosen === 'either' ? undefined : chosen
}

const toQuery = ({ filter = '', page = 1, days = defaultDays, speaker, application_sid }: ConversationSearch) => ({
  q: filter,
  page: String(page),
  count: String(defaultPageSize),
  days,
  speaker: toSpeakerParam(speaker),
  application_sid,
})

const Results = lazyPart('found-calls', async () => (await import('./results.tsx')).Results)

const help = (
  <>
    Enter words that were all said in a call, <q>phrases</q> in quotation marks, and words with a minus sign to exclude
    calls: <code>&quot;cancel my order&quot; refund -tomorrow</code>
  </>
)

/** Searches for words and phrases in what was said in calls. */
export const ConversationSearchPage = (): ReactNode => {
  const { actor } = requiredSession()
  const { search, change } = useListSearch(conversationSearch)
  const service_provider_sid = useProviderSid()
  const selection = useChosenAccounts(search.account)
  const isOperator = isAtLeast(actor.scope, 'service_provider')
  const { account_sid } = selection
  const owner: OwnerSid = account_sid ? { account_sid } : { service_provider_sid }
  const text = useDebouncedFilter(search.filter ?? '', (filter) => change({ filter: filter || undefined }))
  const { filter } = search
  const error = filter === undefined ? undefined : findError(filter)
  const accountNames = new Map(
    account_sid ? [] : selection.accounts.data?.map((account) => [account.account_sid, account.name]),
  )
  return (
    <>
      <ConversationsHeader screen={conversationSearch} search={search} description="Find calls by what was said." />
      <FilterBar
        search={
          <SearchField
            label="Words or phrases"
            value={text.text}
            onChange={text.setText}
            pending={text.isPending}
            onEnter={text.apply}
          />
        }
      >
        {isOperator && (
          <AccountFilter
            all
            value={account_sid}
            onChange={(account) => change({ account: toAccountParam(account), application_sid: undefined })}
          />
        )}
        <PeriodFilter
          isRolling
          days={search.days}
          unset={defaultDays}
          onChange={(days) => change({ days: days === defaultDays ? undefined : days })}
        />
        <FilterSelect
          label="Speaker"
          value={toSpeaker(search.speaker)}
          options={speakerOptions}
          onChange={(speaker) => change({ speaker: speaker === 'either' ? undefined : speaker })}
        />
        {account_sid && (
          <ApplicationField
            label="Application"
            labelHidden
            owner={{ account_sid }}
            value={search.application_sid ?? ''}
            onChange={(application_sid) => change({ application_sid: application_sid || undefined })}
            none="All applications"
          />
        )}
      </FilterBar>
      {filter === undefined ? (
        <EmptyState title="Search in conversations." hint={help} />
      ) : error !== undefined ? (
        <EmptyState title={error} hint={help} />
      ) : (
        selection.isKnown && (
          <Results
            owner={owner}
            query={toQuery(search)}
            accountNames={accountNames}
            page={search.page ?? 1}
            onPage={(page) => change({ page: page === 1 ? undefined : page })}
          />
        )
      )}
    </>
  )
}
