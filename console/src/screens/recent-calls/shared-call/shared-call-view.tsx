import type { SharedCall } from '@patchbay/contract/call-shares'
import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { queryClient } from '../../../api/query-client.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { lazyPart } from '../../../lazy/lazy-part.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import { isEmptyConversation } from '../conversation/conversation-query.ts'
import { ConversationView } from '../conversation/conversation-view.tsx'
import { EmptyConversation } from '../conversation/empty-conversation.tsx'
import { getFileStart } from '../conversation/file-start.ts'
import { createPlayerLink } from '../recording/player-link.ts'
import { InvalidLink } from './invalid-link.tsx'
import { sharedCallQuery } from './shared-call-query.ts'

const LazyRecording = lazyPart('shared-recording', async () => (await import('./shared-recording.tsx')).SharedRecording)

const formatNumber = (lastDigits: string | null): string => (lastDigits === null ? 'Hidden' : `•••• ${lastDigits}`)

const toEntries = (call: SharedCall): DefinitionEntry[] => [
  ['Shared by', call.account_name],
  ['Time', <DateTime key="time" iso={call.attempted_at} />],
  ['Duration', formatDurationLong(call.duration)],
  ['From', formatNumber(call.from), { mono: true }],
  ['To', formatNumber(call.to), { mono: true }],
  ['Link expires', <DateTime key="expires" iso={call.expires_at} />],
]

const Call = ({ call, token }: { call: SharedCall; token: string }) => {
  const [link] = useState(createPlayerLink)
  const { conversation, includes_recording } = call
  const isRecorded = includes_recording === 1
  return (
    <>
      <p className="note">
        A read-only view of a call. Everyone with this link can open it until it expires or is revoked.
      </p>
      <DefinitionList entries={toEntries(call)} />
      {isRecorded && (
        <section aria-label="Recording">
          <LazyRecording token={token} direction={conversation?.direction ?? call.direction} link={link} />
        </section>
      )}
      {conversation === null || isEmptyConversation(conversation) ? (
        <EmptyConversation
          recording={conversation?.recording ?? null}
          title="This call has no conversation."
          hint="Its data may have been deleted."
        />
      ) : (
        <section aria-label="Conversation">
          <ConversationView
            conversation={conversation}
            link={link}
            startAtMs={undefined}
            recordingStartMs={conversation.recording ? getFileStart(conversation.recording) : undefined}
            onShowSpan={() => {}}
          />
        </section>
      )}
    </>
  )
}

const LoadedCall = ({ token }: { token: string }) => {
  const query = useQuery({ ...sharedCallQuery(token), enabled: token !== '' })
  const { data, error } = query
  // A revoked link must not show the data of an earlier read.
  if (token === '' || isNotFound(error)) return <InvalidLink />
  return data === undefined ? <FormLoading queries={[query]} sections={2} /> : <Call call={data} token={token} />
}

/** Shows the call of a link, or why it cannot be shown. */
export const SharedCallView = ({ token }: { token: string }) => (
  <QueryClientProvider client={queryClient}>
    <LoadedCall token={token} />
  </QueryClientProvider>
)
