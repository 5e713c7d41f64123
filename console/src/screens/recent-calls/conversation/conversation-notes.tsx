import type { Conversation } from '@patchbay/contract/conversations'
import { millisecondsText } from './findings.ts'

type Source = Conversation['sources'][number]

/** Says how the clock of a component differs from that of the platform. */
const clockText = ({ service, clock_difference_ms }: Source): string => {
  if (clock_difference_ms === null)
    return `The difference between the clock of ${service} and that of the platform is unknown.`
  if (clock_difference_ms === 0) return `The clock of ${service} agrees with that of the platform.`
  const direction = clock_difference_ms > 0 ? 'ahead of' : 'behind'
  return `The clock of ${service} is ${millisecondsText(Math.abs(clock_difference_ms))} ${direction} that of the platform. Patchbay corrects the times.`
}

const recordingNotes = {
  analyzing: 'Patchbay is analyzing the recording. The times of turns become exact when it has finished.',
  unavailable: 'The recording cannot be read, so the times of turns come from the trace.',
  unreadable: 'The recording is not audio with one channel for each side, so the times of turns come from the trace.',
} as const

interface ConversationNotesProps {
  conversation: Conversation
  isRecorded: boolean
  /** Whether the trace contains the beginning of the recording. */
  isLinked: boolean
}

/** Says where the data comes from, what is missing, and how to get it. */
export const ConversationNotes = ({
  conversation: { sources, turns, recording },
  isRecorded,
  isLinked,
}: ConversationNotesProps) => {
  const [, ...others] = sources
  const isModelUnknown = !turns.some(({ gap }) => gap?.parts.some(({ kind }) => kind === 'model_first_token'))
  return (
    <div className="note">
      {!isRecorded && (
        <p>
          This call has no recording. To play turns and see them on a waveform, turn on call recording for the account
          or the application.
        </p>
      )}
      {recording && recording.status !== 'analyzed' && <p>{recordingNotes[recording.status]}</p>}
      {isRecorded && !isLinked && (
        <p>The trace does not contain the beginning of the recording, so turns cannot be played.</p>
      )}
      {others.map((source) => (
        <p key={source.service}>{clockText(source)}</p>
      ))}
      {isModelUnknown && (
        <p>
          No component reported the time of the language model, so it is part of Application or Unattributed. To see it,
          export the OpenTelemetry spans of your agent to Patchbay with the trace ID of the call.
        </p>
      )}
    </div>
  )
}
