import type { Call } from '@patchbay/contract/recent-calls'
import { anyMask } from '@patchbay/contract/shared/masking-limits'
import { findCallDirection } from '@patchbay/rules/conversations/call-direction'
import { parseRecordingUrl, type RecordingPath } from '@patchbay/rules/recordings/recordings'
import { toTranscript } from '@patchbay/rules/recordings/transcript'
import { isTraceId, parseSpans, type Span } from '@patchbay/rules/traces/traces'
import { useQuery } from '@tanstack/react-query'
import { Download, ExternalLink, Trash2, VolumeX } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { api as send } from '../../../api/client.ts'
import { config } from '../../../api/configuration.ts'
import { queryClient } from '../../../api/query-client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { EmptyState } from '../../../ui/table/list-state.tsx'
import { traceQuery } from '../call-detail-queries.ts'
import { conversationQuery, hasConversations } from '../conversation/conversation-query.ts'
import { Player } from './player.tsx'
import type { PlayerLink } from './player-link.ts'
import styles from './recording.module.css'
import { readMutedFile, recordedKey, recordedQuery, recordingFileName } from './recording-query.ts'

const absoluteApiBase = (): string => new URL(config().apiBase, window.location.href).href

const DownloadButton = ({ call_sid, file }: { call_sid: string; file: Blob }) => (
  <IconButton
    label="Download recording"
    icon={<Download size={16} aria-hidden="true" />}
    onClick={() => saveFile(recordingFileName(call_sid, file), file)}
  />
)

interface MutedDownloadProps {
  call: Call
  path: RecordingPath
  spans: readonly Span[] | undefined
}

/** Shown if the call has masked parts, according to its conversation if it is open, or else to its trace. */
const MutedDownloadButton = ({ call, path, spans }: MutedDownloadProps) => {
  const { data } = useQuery({ ...conversationQuery(call), enabled: false })
  const isTraceMasked = useMemo(() => toTranscript(spans ?? []).some(({ text }) => anyMask.test(text)), [spans])
  const download = useAction({
    run: async () => {
      const file = await readMutedFile(path)
      saveFile(recordingFileName(path.call_sid, file, '-muted'), file)
    },
  })
  const isMasked = data?.muted_ranges?.some(({ reason }) => reason !== 'no_text') ?? isTraceMasked
  if (!isMasked || !hasConversations()) return null
  return (
    <IconButton
      label="Download muted recording"
      icon={<VolumeX size={16} aria-hidden="true" />}
      busy={download.isPending}
      onClick={() => download.mutate()}
    />
  )
}

const DeleteButton = ({ path }: { path: RecordingPath }) => {
  const [isAsking, setAsking] = useState(false)
  const remove = useAction({
    quiet: true,
    run: () =>
      send('DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format', {
        params: { ...path },
      }),
    done: () => 'Successfully deleted record',
    after: () => {
      setAsking(false)
      queryClient.setQueryData(recordedKey(path), null)
    },
  })
  return (
    <>
      <IconButton
        label="Delete recording"
        icon={<Trash2 size={16} aria-hidden="true" />}
        disabledReason={viewOnlyReason(requiredSession().actor)}
        onClick={() => setAsking(true)}
      />
      {isAsking && (
        <ConfirmAction
          action={remove}
          title="Delete this recording?"
          danger
          confirmLabel="Delete recording"
          onCancel={() => setAsking(false)}
        >
          <p>
            The recording of the call <strong className={styles['sid']}>{path.call_sid}</strong> will be permanently
            deleted. The call, its trace, and its logs are kept.
          </p>
        </ConfirmAction>
      )}
    </>
  )
}

/** Shown after the user has deleted the recording. Receives the focus, because the focused button no longer exists. */
const Deleted = () => {
  const note = useRef<HTMLParagraphElement>(null)
  useEffect(() => note.current?.focus(), [])
  return (
    <p ref={note} tabIndex={-1} className="note">
      The recording of this call was deleted.
    </p>
  )
}

/** Returns the spans of a call, and the content to show in place of an empty transcript. */
const useSpans = ({ account_sid, trace_id }: Call) => {
  const isTraced = isTraceId(trace_id)
  const trace = useQuery({ ...traceQuery(account_sid, trace_id ?? ''), enabled: isTraced })
  const spans = useMemo(() => (trace.data === undefined ? undefined : parseSpans(trace.data)), [trace.data])
  const transcriptFallback = (): ReactNode => {
    if (!isTraced) return <p className="note">This call was not traced, so no data is available.</p>
    if (spans !== undefined) return <p className="note">The trace of this call contains no speech.</p>
    if (isNotFound(trace.error)) return <p className="note">There is no trace of this call, so no data is available.</p>
    return <FormLoading queries={[trace]} sections={1} />
  }
  return { spans, transcriptFallback: transcriptFallback() }
}

interface RecordingProps {
  call: Call
  recording_url: string
  link: PlayerLink
  /** The player shows the transcript, because the call has no conversation that does. */
  hasTranscript: boolean
  /** The player stays visible above the tabs. A player with a transcript is too high for that. */
  isSticky: boolean
}

interface RecordedProps extends Omit<RecordingProps, 'recording_url' | 'isSticky'> {
  path: RecordingPath
}

const Recorded = ({ call, path, link, hasTranscript }: RecordedProps) => {
  const recorded = useQuery(recordedQuery(path))
  const { spans, transcriptFallback } = useSpans(call)
  const { error, refetch } = recorded
  // Ignores the data of an earlier read if Retry has failed, so that the error is shown.
  const data = error ? undefined : recorded.data
  const call_sid = call.call_sid ?? path.call_sid
  const retry = (
    <Button size="small" busy={recorded.isFetching} onClick={() => void refetch()}>
      Retry
    </Button>
  )
  if (data === null) return <Deleted />
  if (isNotFound(error))
    return (
      <EmptyState
        title="There is no recording of this call."
        hint="It was deleted, or is not stored yet. Recordings are stored when the call ends."
        action={retry}
      />
    )
  if (data === undefined) return <FormLoading queries={[{ data, error, refetch }]} sections={1} />
  const { file, sound } = data
  const actions = (
    <>
      <DownloadButton call_sid={call_sid} file={file} />
      <MutedDownloadButton call={call} path={path} spans={spans} />
      <DeleteButton path={path} />
    </>
  )
  if (sound === undefined)
    return (
      <EmptyState
        title="This recording cannot be played."
        hint="The stored file is not audio that a browser can decode."
        action={
          <div className={styles['acts']}>
            {retry}
            {actions}
          </div>
        }
      />
    )
  return (
    <Player
      recorded={{ file, sound }}
      spans={spans}
      direction={findCallDirection(spans?.find(({ parent }) => parent === null)) ?? call.direction}
      {...(hasTranscript ? { transcriptFallback } : {})}
      actions={actions}
      link={link}
    />
  )
}

/** Shows the recording of a call: a player, or a link if the recording is on another server. */
export const Recording = ({ recording_url, isSticky, ...player }: RecordingProps) => {
  const source = parseRecordingUrl(recording_url, absoluteApiBase())
  return (
    <section
      aria-label="Recording"
      className={classes(styles['recording'], isSticky && !player.hasTranscript && styles['sticky'])}
    >
      {source === undefined ? (
        <p className="note">This call has a recording, but its location is unknown.</p>
      ) : 'path' in source ? (
        <Recorded key={recording_url} path={source.path} {...player} />
      ) : (
        <p className="note">
          This recording is on another server:{' '}
          <a href={source.elsewhere} target="_blank" rel="noreferrer">
            {new URL(source.elsewhere).host}
            <ExternalLink size={13} aria-hidden="true" />
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        </p>
      )}
    </section>
  )
}
