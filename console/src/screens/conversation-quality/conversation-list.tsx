import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import { type Duration, durations, gapPartLabels, slowGapMs } from '@patchbay/contract/conversations/figures'
import { queryOptions } from '@tanstack/react-query'
import type { Ref } from 'react'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { useCursorPages } from '../../list/use-cursor-pages.ts'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { Button } from '../../ui/button.tsx'
import { FigureTable, wideOnly } from '../../ui/figure-table.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { DateTime } from '../../ui/format/time.tsx'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { ClearButton } from './clear-button.tsx'
import { formatDuration } from './measures.ts'
import styles from './quality.module.css'
import type { QualityQuery } from './queries.ts'

/** The conversations behind the figures, newest first. */

type ListQuery = QueryInput<Contract['GET /patchbay/accounts/:account_sid/conversations']>

/** The conversations that can be selected: those with slow responses, or with a slow part of one. */
export const listProblems = ['any', 'slow', 'interrupted', 'failed', ...durations] as const
export type ListProblem = (typeof listProblems)[number]

/** Returns the problem in the URL, or the default. */
export const toListProblem = (problem: string | undefined): ListProblem =>
  listProblems.find((one) => one === problem) ?? 'any'

const problemLabels: Readonly<Record<Exclude<ListProblem, Duration>, string>> = {
  any: 'all',
  slow: `with a response after ${formatDuration(slowGapMs)}`,
  interrupted: 'with interruptions',
  failed: 'with errors',
}

const getLabel = (duration: Duration): string =>
  duration === 'gap' ? 'response gap' : gapPartLabels[duration].toLowerCase()

/** A response or a part is slow if it takes as long as the slowest 5 % of the period. */
const getProblemOptions = ({ total }: ConversationQuality): { value: ListProblem; label: string }[] =>
  listProblems.flatMap((value): { value: ListProblem; label: string }[] => {
    if (value === 'any' || value === 'slow' || value === 'interrupted' || value === 'failed')
      return [{ value, label: problemLabels[value] }]
    const { p95 } = total.durations[value]
    return p95 === null ? [] : [{ value, label: `${getLabel(value)}: ${formatDuration(p95)} or longer` }]
  })

const toProblemQuery = (problem: ListProblem, { total }: ConversationQuality): Partial<ListQuery> => {
  if (problem === 'any') return {}
  if (problem === 'slow') return { min_ms: String(slowGapMs) }
  if (problem === 'interrupted' || problem === 'failed') return { problem }
  return { duration: problem, min_ms: String(total.durations[problem].p95 ?? 0) }
}

const listQuery = (owner: OwnerSid, query: ListQuery) =>
  queryOptions({
    queryKey: ['conversations', owner, query],
    queryFn: (context) =>
      owner.account_sid === undefined
        ? api(
            'GET /patchbay/service-providers/:service_provider_sid/conversations',
            { params: owner, query },
            queryCallOptions(context),
          )
        : api('GET /patchbay/accounts/:account_sid/conversations', { params: owner, query }, queryCallOptions(context)),
  })

interface ConversationListProps {
  owner: OwnerSid
  query: QualityQuery
  quality: ConversationQuality
  problem: ListProblem
  onProblem: (problem: ListProblem) => void
  /** YYYY-MM-DD. Undefined for the whole period. */
  day: string | undefined
  onAllDays: () => void
  /** Receives the focus when a figure selects conversations. */
  ref: Ref<HTMLElement>
}

/** Lists the conversations of the period, or those with the selected value, day, and problem. */
export const ConversationList = (props: ConversationListProps) => {
  const { owner, query, quality, problem, onProblem, day, onAllDays, ref } = props
  const { by, value, ...period } = query
  const ofValue = value === undefined ? {} : { by, value }
  const days = day === undefined ? period : { from: day, until: day }
  const filters = { ...days, ...ofValue, ...toProblemQuery(problem, quality) }
  const { first, pages, isBusy, showMore } = useCursorPages((after) => listQuery(owner, { ...filters, after }))
  const conversations = pages.flatMap((page) => page.conversations)
  return (
    <section ref={ref} className={styles['list']} tabIndex={-1} aria-label="List of conversations">
      <FilterSelect label="Conversations" value={problem} options={getProblemOptions(quality)} onChange={onProblem} />
      {day !== undefined && (
        <ClearButton label={`Day ${day} (UTC): show all`} onClear={onAllDays}>
          Day: {day} (UTC)
        </ClearButton>
      )}
      {conversations.length > 0 && (
        <FigureTable title="Conversations">
          <thead>
            <tr>
              <th scope="col">Start</th>
              <th scope="col">Turns</th>
              <th scope="col">Median gap</th>
              <th scope="col">95th percentile</th>
              <th scope="col" className={wideOnly}>
                Interruptions
              </th>
              <th scope="col" className={wideOnly}>
                Errors
              </th>
            </tr>
          </thead>
          <tbody>
            {conversations.map(({ account_sid, call_sid, started_at, durations: { gap }, ...figures }) => (
              <tr key={`${account_sid} ${call_sid}`}>
                <th scope="row">
                  <ScreenLink to={oneCall} params={{ account_sid, call_sid }} search={{ tab: 'conversation' }}>
                    <DateTime iso={started_at} />
                  </ScreenLink>
                </th>
                <td>{formatCount(figures.agent_turns)}</td>
                <td>{formatDuration(gap.p50)}</td>
                <td>{formatDuration(gap.p95)}</td>
                <td className={wideOnly}>{formatCount(figures.caller_interruptions + figures.agent_interruptions)}</td>
                <td className={wideOnly}>{formatCount(figures.errors)}</td>
              </tr>
            ))}
          </tbody>
        </FigureTable>
      )}
      {first.data !== undefined ? (
        conversations.length === 0 && (
          <p className="note" role="status">
            {showMore ? 'None of the latest 1,000 conversations matches.' : 'No conversation matches.'}
          </p>
        )
      ) : (
        <FormLoading queries={[first]} />
      )}
      {showMore && (
        <Button size="small" busy={isBusy} onClick={showMore}>
          {conversations.length === 0 ? 'Search earlier conversations' : 'Show more'}
        </Button>
      )}
    </section>
  )
}
