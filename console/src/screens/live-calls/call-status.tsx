import type { LiveCall } from '@patchbay/contract/live-calls'
import { StateBadge, type StateTone } from '../../ui/badge.tsx'
import { capitalize } from '../../ui/format/text.ts'

const tones: Readonly<Record<string, StateTone>> = {
  'in-progress': 'good',
  'early-media': 'good',
  failed: 'bad',
  busy: 'warn',
  'no-answer': 'warn',
}

/** Returns the label of a call status, for example "In progress". */
export const statusText = ({ call_status = '' }: Pick<LiveCall, 'call_status'>): string => {
  const label = call_status
    .replace('in-progress', 'in progress')
    .replace('early-media', 'early media')
    .replace('no-answer', 'no answer')
  return capitalize(label)
}

export const CallStatus = ({ call }: { call: LiveCall }) =>
  call.call_status ? <StateBadge tone={tones[call.call_status] ?? 'neutral'}>{statusText(call)}</StateBadge> : null
