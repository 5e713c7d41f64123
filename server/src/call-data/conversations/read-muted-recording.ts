import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import { ApiError, throwApiError } from '@patchbay/contract/api/errors'
import type { Interval } from '@patchbay/rules/conversations/response-gap'
import type { FairQueue } from '../../lib/fair-queue.ts'
import { UnreadableAudio } from '../recordings/decode-audio.ts'
import { muteRecording } from '../recordings/muting/mute-recording.ts'
import type { RecordingName } from '../recordings/recording-names.ts'
import { parseRecordedName } from '../recordings/recording-of-call.ts'
import { type ConversationSources, readConversation } from './read-conversation.ts'

/**
 * Reads recordings without what is masked in the conversation. If Patchbay does not know what must be muted, there is an
 * error: the recording is never returned as it is.
 */

const isSameName = (a: RecordingName, b: RecordingName | undefined): boolean =>
  a.call_sid.toLowerCase() === b?.call_sid.toLowerCase() &&
  a.day === b.day &&
  a.format === b.format &&
  (a.version ?? 1) === (b.version ?? 1)

const notMutable = (reason: string): never =>
  throwApiError('recording_not_mutable', { msg: `The recording cannot be muted: ${reason}` })

/**
 * Returns the recording of a call with silence where its conversation is masked.
 * @throws ApiError `recording_being_analyzed`, or `recording_not_mutable` with the reason
 */
const readMutedRecording = async (
  sources: ConversationSources,
  account_sid: string,
  name: RecordingName,
  file: StoredBytes,
  signal: AbortSignal,
): Promise<StoredBytes> => {
  const { call_sid } = name
  const { conversation, recording_url, recording } = (await readConversation(sources, account_sid, call_sid)) ?? {}
  const analyzed = recording_url && parseRecordedName({ account_sid, call_sid, recording_url })
  if (!analyzed || !isSameName(name, analyzed))
    return notMutable('it is not the one that the record of the call names.')
  if (recording?.status === 'analyzing') throw new ApiError('recording_being_analyzed')
  if (recording?.status === 'unavailable') throw new ApiError('recordings_unavailable')
  if (recording?.status !== 'analyzed') return notMutable('it is not audio with a channel for each side.')
  if (recording.fileBytes !== undefined && recording.fileBytes !== file.size)
    return notMutable('it is not the file that was analyzed. Try again later.')
  const start = conversation?.recording?.start_ms
  const ranges = conversation?.muted_ranges
  if (!ranges || start === null || start === undefined)
    return notMutable(
      'Patchbay needs the complete trace of the call, with a transcript and the start of the recording.',
    )
  const toFile = (speaker: 'caller' | 'agent'): Interval[] =>
    ranges.flatMap((range) =>
      range.speaker === speaker ? [{ start: range.start_ms - start, end: range.end_ms - start }] : [],
    )
  const channels = { caller: toFile('caller'), agent: toFile('agent') }
  try {
    return await muteRecording(file, name.format, channels, signal)
  } catch (error) {
    if (error instanceof UnreadableAudio) return notMutable(`${error.message}.`)
    throw error
  }
}

interface ReadRecording {
  account_sid: string
  name: RecordingName
  file: StoredBytes
  /** Whether a muted recording was requested. The provider can mute all. */
  isMuted: boolean
  /** The fairness key of the reader, who waits for its turn to read the conversation. */
  tenant: string
}

/**
 * Returns a recording of a call, muted if it was requested or if the provider mutes all recordings.
 * @throws ApiError `recording_being_analyzed`, or `recording_not_mutable` with the reason
 */
export const readRecording = async (
  sources: ConversationSources & { callDetails: FairQueue },
  { account_sid, name, file, isMuted, tenant }: ReadRecording,
  signal: AbortSignal,
): Promise<StoredBytes> => {
  const { mute_recordings } = await sources.masking.rules.ofAccount(account_sid)
  if (!isMuted && mute_recordings === 0) return file
  const read = () => readMutedRecording(sources, account_sid, name, file, signal)
  return sources.callDetails.run(tenant, (runStep) => runStep(read), signal)
}
