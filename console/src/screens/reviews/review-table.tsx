import type { ReviewedCall } from '@patchbay/contract/reviews'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { RefetchErrorBanner } from '../../feedback/query-failed.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { useCursorPages } from '../../list/use-cursor-pages.ts'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ReviewReasons } from '../../sections/review-reasons.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button } from '../../ui/button.tsx'
import { FigureTable, wideOnly } from '../../ui/figure-table.tsx'
import { Name } from '../../ui/format/reference.tsx'
import { DateTime } from '../../ui/format/time.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { type ReviewQuery, reviewListQuery } from './queries.ts'
import styles from './reviews.module.css'

interface ReviewTableProps {
  owner: OwnerSid
  query: ReviewQuery
  /** Names of accounts by SID. Empty if all calls belong to one account. */
  accountNames: ReadonlyMap<string, string>
}

/** Assigns a call to the user, or ends the assignment. */
const AssignButton = ({ call: { account_sid, call_sid, assignee } }: { call: ReviewedCall }) => {
  const { actor } = requiredSession()
  const isOwn = assignee?.user_sid === actor.user_sid
  const assign = useAction({
    run: (user_sid: string | null) =>
      api('PUT /patchbay/accounts/:account_sid/calls/:call_sid/assignee', {
        params: { account_sid, call_sid },
        body: { user_sid },
      }),
    done: () => (isOwn ? 'Call no longer assigned to you' : 'Call assigned to you'),
    changes: [['reviews'], ['call-reviews', account_sid, call_sid]],
  })
  return (
    <Button
      size="small"
      busy={assign.isPending}
      disabledReason={viewOnlyReason(actor)}
      onClick={() => assign.mutate(isOwn ? null : actor.user_sid)}
    >
      {isOwn ? 'Unassign' : 'Assign to me'}
    </Button>
  )
}

/** Returns the scores of people and models, such as `2, 4 (model)`. */
const formatScores = ({ reviews }: ReviewedCall): string =>
  reviews.map(({ score, is_model }) => (is_model ? `${score} (model)` : String(score))).join(', ')

const Row = ({ call, accountNames }: { call: ReviewedCall } & Pick<ReviewTableProps, 'accountNames'>) => {
  const { account_sid, call_sid, started_at, reasons, assignee } = call
  return (
    <tr>
      <th scope="row">
        <ScreenLink to={oneCall} params={{ account_sid, call_sid }} search={{ tab: 'conversation:review' }}>
          <DateTime iso={started_at} />
        </ScreenLink>
      </th>
      {accountNames.size > 0 && (
        <td className={wideOnly}>
          <Name>{accountNames.get(account_sid) ?? account_sid}</Name>
        </td>
      )}
      <td>
        <span className={styles['reasons']}>
          <ReviewReasons reasons={reasons} />
        </span>
      </td>
      <td>{formatScores(call) || 'none'}</td>
      <td className={wideOnly}>{assignee === null ? 'unassigned' : <Name>{assignee.name}</Name>}</td>
      <td>
        <AssignButton call={call} />
      </td>
    </tr>
  )
}

/** Shows the calls page by page, newest first. */
export const ReviewTable = ({ owner, query, accountNames }: ReviewTableProps) => {
  const { first, pages, isBusy, showMore } = useCursorPages((after) => reviewListQuery(owner, { ...query, after }))
  if (first.data === undefined) return <FormLoading queries={[first]} sections={2} />
  const calls = pages.flatMap((page) => page.calls)
  if (calls.length === 0)
    return query.state === 'reviewed' ? (
      <EmptyState title="No reviewed calls." hint="Choose a longer period, or other filters." />
    ) : (
      <EmptyState
        title="No calls to review."
        hint="Calls with a voice agent appear here after they end if a rule selects them. Choose a longer period, or other filters, to see older calls."
      />
    )
  return (
    <div aria-busy={first.isPlaceholderData} className={styles['list']}>
      <RefetchErrorBanner query={first} onRetry={() => void first.refetch()} />
      <FigureTable title={query.state === 'reviewed' ? 'Reviewed calls' : 'Calls to review'}>
        <thead>
          <tr>
            <th scope="col">Start</th>
            {accountNames.size > 0 && (
              <th scope="col" className={wideOnly}>
                Account
              </th>
            )}
            <th scope="col">Reason</th>
            <th scope="col">Scores</th>
            <th scope="col" className={wideOnly}>
              Assigned to
            </th>
            <th scope="col">
              <span className="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((call) => (
            <Row key={`${call.account_sid} ${call.call_sid}`} call={call} accountNames={accountNames} />
          ))}
        </tbody>
      </FigureTable>
      {showMore && (
        <Button size="small" busy={isBusy} onClick={showMore}>
          Show more
        </Button>
      )}
    </div>
  )
}
