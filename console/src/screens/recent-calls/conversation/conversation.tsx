import type { Call } from '@patchbay/contract/recent-calls'
import { isTraceId } from '@patchbay/rules/traces/traces'
import { RefreshCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { canOpen } from '../../../routes/define-screen.ts'
import { reviews } from '../../../routes/reviews.ts'
import { requiredSession } from '../../../session/session.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import type { PlayerLink } from '../recording/player-link.ts'
import { ShareButton } from '../share/share-button.tsx'
import { SideColumn } from '../side-column.tsx'
import { missingTraceHint } from '../trace/missing-trace.ts'
import { ConversationNotes } from './conversation-notes.tsx'
import { isEmptyConversation } from './conversation-query.ts'
import { ConversationView } from './conversation-view.tsx'
import { EmptyConversation } from './empty-conversation.tsx'
import { useConversation } from './use-conversation.ts'

const LazyReview = lazyPart('review', async () => (await import('../review/review-section.tsx')).ReviewSection)

/** Says why there is no data of a call, and how to get it for others. */
const getMissingHint = ({ trace_id, recording_url }: Call): string => {
  if (isTraceId(trace_id))
    return `Patchbay derives it from the trace of the call, its recording, and agent events. The trace is missing: ${missingTraceHint}`
  return recording_url
    ? 'Patchbay derives it from the trace of the call, its recording, and agent events. The recording is on another server, so Patchbay cannot analyze it.'
    : 'This call has no trace, no recording, and no agent events. Turn on tracing at the feature servers, turn on call recording, or send the events of your agent to Patchbay.'
}

interface ConversationTabProps {
  call: Call
  link: PlayerLink
  /**
   * From the URL: milliseconds since the start of the conversation for the turn that is shown first, or `review` to
   * open the form of the review.
   */
  startAt: string | undefined
  /** Shown beside the conversation, or beside why there is none. */
  side: ReactNode
  onShowSpan: (span_id: string) => void
}

interface NoConversationProps {
  call: Call
  query: ReturnType<typeof useConversation>['query']
}

/** Shows why there is no conversation of a call, or that it is being read. */
const NoConversation = ({ call, query }: NoConversationProps) => {
  const { data: conversation, error, isFetching, refetch } = query
  if (conversation === undefined && !isNotFound(error)) return <FormLoading queries={[query]} sections={1} />
  const retryButton = (
    <Button
      size="small"
      icon={<RefreshCw size={14} aria-hidden="true" />}
      busy={isFetching}
      onClick={() => void refetch()}
    >
      Check again
    </Button>
  )
  return conversation ? (
    <EmptyConversation
      recording={conversation.recording}
      title="The trace of this call contains no conversation."
      hint="A conversation consists of recognized and synthesized speech. A call that only connects two parties or plays audio files has no conversation."
      action={retryButton}
    />
  ) : (
    <EmptyState title="There is no conversation of this call." hint={getMissingHint(call)} action={retryButton} />
  )
}

/** Shows the conversation of a call, or why there is none. */
export const ConversationTab = ({ call, link, startAt, side, onShowSpan }: ConversationTabProps) => {
  const { query, recordingStartMs } = useConversation(call)
  const conversation = query.data
  if (!conversation || isEmptyConversation(conversation))
    return (
      <SideColumn side={side}>
        <NoConversation call={call} query={query} />
      </SideColumn>
    )
  const { call_sid } = call
  const isRecorded = Boolean(call.recording_url)
  return (
    <ConversationView
      conversation={conversation}
      link={link}
      startAtMs={startAt && /^\d{1,9}$/.test(startAt) ? Number(startAt) : undefined}
      recordingStartMs={recordingStartMs}
      onShowSpan={onShowSpan}
      aside={
        <>
          {call_sid !== null && canOpen(reviews, requiredSession().actor) && (
            <LazyReview key={call_sid} call={{ ...call, call_sid }} isReviewing={startAt === 'review'} />
          )}
          {side}
        </>
      }
      actions={<ShareButton call={call} />}
      notes={
        <ConversationNotes
          conversation={conversation}
          isRecorded={isRecorded}
          isLinked={recordingStartMs !== undefined}
        />
      }
    />
  )
}
