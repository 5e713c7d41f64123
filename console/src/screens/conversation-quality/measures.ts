import type { ConversationFigures } from '@patchbay/contract/conversation-quality'
import { formatPercent } from '../../ui/format/percent.ts'
import { formatCount } from '../../ui/format/text.ts'

/** Formats figures of conversations. A value that is not known is shown as a dash. Pure. */

const none = '–'

/** Formats a large number, such as 1.2M. */
const formatCompact = (count: number): string =>
  count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Formats milliseconds, such as 680 ms or 1.24 s. */
export const formatDuration = (milliseconds: number | null): string => {
  if (milliseconds === null) return none
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`
}

const formatShare = (part: number, whole: number): string => (whole === 0 ? none : formatPercent(part / whole))

/** Columns and rows of tables, and cards. */
export interface Measure {
  id: 'gap_p50' | 'gap_p95' | 'interrupted' | 'talked_over' | 'silence' | 'errors' | 'characters' | 'tokens'
  label: string
  /** Head of the column. Undefined for the response gap, which has columns of its own, and for measures of the whole period only. */
  column?: string
  hint: string
  /** Whether it is one of the figures at the top of the page. The others are in a table below. */
  isCard?: true
  format: (figures: ConversationFigures) => string
}

export const measures: readonly Measure[] = [
  {
    id: 'gap_p50',
    isCard: true,
    label: 'Response gap, median',
    hint: 'from the end of speech to the agent’s audio',
    format: ({ durations }) => formatDuration(durations.gap.p50),
  },
  {
    id: 'gap_p95',
    isCard: true,
    label: 'Response gap, 95th percentile',
    hint: 'one of 20 responses takes longer',
    format: ({ durations }) => formatDuration(durations.gap.p95),
  },
  {
    id: 'interrupted',
    isCard: true,
    label: 'Interrupted by the other party',
    column: 'Interrupted',
    hint: 'share of the agent’s turns',
    format: ({ caller_interruptions, agent_turns }) => formatShare(caller_interruptions, agent_turns),
  },
  {
    id: 'talked_over',
    label: 'Talked over by the agent',
    column: 'Talked over',
    hint: 'share of the other party’s turns',
    format: ({ agent_interruptions, caller_turns }) => formatShare(agent_interruptions, caller_turns),
  },
  {
    id: 'silence',
    label: 'Silence',
    column: 'Silence',
    hint: 'per conversation, from four seconds on, in recordings',
    format: ({ silent_ms, conversations }) => formatDuration(conversations === 0 ? null : silent_ms / conversations),
  },
  {
    id: 'errors',
    label: 'Errors',
    hint: 'failed requests and steps',
    format: ({ errors }) => formatCount(errors),
  },
  {
    id: 'characters',
    label: 'Spoken characters',
    hint: 'texts of the agent that are not cut in the trace',
    format: ({ characters }) => formatCompact(characters),
  },
  {
    id: 'tokens',
    label: 'Tokens',
    hint: 'read and written by the language model',
    // Only events of agents and of frameworks report tokens.
    format: ({ input_tokens, output_tokens }) =>
      input_tokens + output_tokens === 0 ? none : `${formatCompact(input_tokens)} + ${formatCompact(output_tokens)}`,
  },
]
