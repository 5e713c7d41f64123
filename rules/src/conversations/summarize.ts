import type { Conversation, GapPart, Turn } from '@patchbay/contract/conversations'
import type { Amount, Dimension, Duration } from '@patchbay/contract/conversations/figures'
import { isCutText } from '../recordings/transcript.ts'
import { agentEventSource } from './agent-event-source.ts'
import { toBucket } from './duration-buckets.ts'

/** Sums up a conversation for statistics. Pure. */

/** A number to add to the statistics. `bucket` is that of a duration (duration-buckets.ts), and 0 for amounts. */
export interface Contribution {
  dimension: Dimension
  value: string
  measure: Amount | Duration
  bucket: number
  amount: number
}

/** The properties of a call that statistics are grouped by. */
export interface CallFacets {
  account_sid: string
  application_sid: string | null
  trunk: string | null
  host: string | null
  /** ISO 8601 in UTC. */
  attempted_at: string
}

/** Longer values are cut, as in the database. */
const maxValueLength = 128

const toValue = (value: string | null | undefined): string => (value ?? '').slice(0, maxValueLength)

type Facets = Partial<Record<Dimension, string>>

const getTurnFacets = ({ speaker, vendor, voice, language, model }: Turn): Facets => ({
  ...(speaker === 'caller'
    ? { stt_vendor: toValue(vendor) }
    : { tts_vendor: toValue(vendor), voice: toValue(voice), model: toValue(model) }),
  language: toValue(language),
})

const getGapParts = (parts: readonly GapPart[]): [Duration, number][] =>
  parts.flatMap(({ kind, duration_ms }): [Duration, number][] => (duration_ms === null ? [] : [[kind, duration_ms]]))

/** Returns whether an agent has spoken: whether there is more than a recording, which could be of two people. */
export const hasAgent = ({ turns, sources }: Conversation): boolean => {
  const own = turns.filter(({ speaker, is_other_side }) => speaker === 'agent' && is_other_side === undefined)
  return (
    own.some(({ span_id, text }) => span_id !== null || text !== '') ||
    // Events can say when an agent spoke, without its words.
    (own.length > 0 && sources.some(({ service }) => service === agentEventSource))
  )
}

/**
 * Returns what a conversation adds to the statistics. A gap belongs to the vendors and languages of the two turns around
 * it, so that calls with several vendors count correctly.
 */
export const summarizeConversation = (conversation: Conversation, call: CallFacets): Contribution[] => {
  const sums = new Map<string, Contribution>()
  const add = (facets: Facets, measure: Amount | Duration, amount: number, bucket = 0): void => {
    if (amount === 0) return
    for (const [dimension, value] of Object.entries(facets) as [Dimension, string][]) {
      const key = JSON.stringify([dimension, value, measure, bucket])
      const sum = sums.get(key)
      if (sum === undefined) sums.set(key, { dimension, value, measure, bucket, amount })
      else sum.amount += amount
    }
  }
  const ofCall: Facets = {
    all: '',
    account: call.account_sid,
    application: toValue(call.application_sid),
    carrier: toValue(call.trunk),
    sbc: toValue(call.host),
    hour: call.attempted_at.slice(11, 13),
  }
  const { turns, events } = conversation
  for (const [position, turn] of turns.entries()) {
    if (turn.is_other_side === true) continue
    const { speaker, interruption, gap, text, tokens } = turn
    const before = turns[position - 1]
    const ofTurn = { ...ofCall, ...getTurnFacets(turn) }
    add(ofTurn, speaker === 'agent' ? 'agent_turns' : 'caller_turns', 1)
    if (speaker === 'agent' && !isCutText(text)) add(ofTurn, 'characters', text.length)
    add(ofTurn, 'input_tokens', tokens?.input ?? 0)
    add(ofTurn, 'output_tokens', tokens?.output ?? 0)
    if (interruption !== null)
      add(ofTurn, interruption.by === 'caller' ? 'caller_interruptions' : 'agent_interruptions', 1)
    if (gap === null) continue
    const ofGap = { ...(before === undefined ? {} : getTurnFacets(before)), ...ofTurn }
    add(ofGap, 'gap', 1, toBucket(gap.duration_ms))
    for (const [kind, duration] of getGapParts(gap.parts)) add(ofGap, kind, 1, toBucket(duration))
  }
  // A conversation belongs to each vendor, voice, language, and model that it has used, with all of its silence and errors.
  const used = new Map(
    turns.flatMap((turn) => Object.entries(getTurnFacets(turn)).map((facet) => [facet.join('\n'), facet])),
  )
  const silences = events.filter(({ kind }) => kind === 'silence')
  const whole = {
    conversations: 1,
    silent_ms: silences.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    errors: events.filter(({ kind, error }) => kind === 'error' || error !== undefined).length,
  }
  const ofUsed = [...used.values()].map(([dimension, value]): Facets => ({ [dimension as Dimension]: value }))
  for (const facets of [ofCall, ...ofUsed])
    for (const [amount, count] of Object.entries(whole) as [Amount, number][]) add(facets, amount, count)
  return [...sums.values()]
}
