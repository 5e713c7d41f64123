import type { Conversation } from '@patchbay/contract/conversations'
import type { ReactNode } from 'react'
import { Spinner } from '../../../ui/spinner.tsx'
import { EmptyState } from '../../../ui/table/list-state.tsx'

type Recording = Conversation['recording']

interface Reason {
  title: string
  hint: string
}

const recordingReasons: Readonly<Record<NonNullable<Recording>['status'], Reason>> = {
  analyzing: {
    title: 'Patchbay is analyzing the recording.',
    hint: 'The conversation appears here when the analysis has finished.',
  },
  analyzed: {
    title: 'The recording contains no speech.',
    hint: 'No other data of this call contains speech either.',
  },
  unavailable: {
    title: 'The recording cannot be read.',
    hint: 'It was deleted, or its storage does not respond. No other data of this call contains a conversation.',
  },
  unreadable: {
    title: 'The recording is not audio with one channel for each side.',
    hint: 'Patchbay finds turns only in recordings that keep caller and agent apart. No other data of this call contains a conversation.',
  },
}

/** Returns why there are no turns, as far as the recording explains it. */
const explainRecording = (recording: Recording): Reason | undefined => {
  if (recording === null) return undefined
  // Without its start, the recording says nothing about turns.
  return recording.status === 'analyzed' && recording.start_ms === null ? undefined : recordingReasons[recording.status]
}

interface EmptyConversationProps extends Reason {
  recording: Recording
  action?: ReactNode
}

/** Says why a call has no turns. `title` and `hint` are shown if its recording does not explain it. */
export const EmptyConversation = ({ recording, action, ...other }: EmptyConversationProps) => {
  const { title, hint } = explainRecording(recording) ?? other
  return recording?.status === 'analyzing' ? (
    <EmptyState title={title} hint={hint} action={<Spinner />} />
  ) : (
    <EmptyState title={title} hint={hint} action={action} />
  )
}
