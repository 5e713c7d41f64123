import type { Call } from '@patchbay/contract/recent-calls'
import { type CallEvidence, strengths } from './evidence.ts'
import { describeAnswered, explainRecord } from './record-rules.ts'

/** A judgement about a call: says what happened, and what to do. */
export interface CallVerdict {
  /** `neutral` if nothing is broken, `warn` for a problem of an answered call, and `bad` for a failed call. */
  tone: 'neutral' | 'warn' | 'bad'
  /** Says in one or two short sentences what happened. */
  title: string
  /** The most direct evidence. Undefined if an answered call had no problem. */
  cause: CallEvidence | undefined
  /** Other evidence, most direct first. */
  further: readonly CallEvidence[]
}

/** Merges the messages of log errors into one statement. They are often effects, so they are weak evidence. */
export const explainLogErrors = (errors: readonly string[]): CallEvidence[] => {
  const [first] = errors
  if (first === undefined) return []
  return [
    {
      source: 'logs',
      side: 'unknown',
      title: errors.length === 1 ? 'The log has an error.' : `The log has ${errors.length} errors.`,
      detail: first,
      next: 'Read the log lines before the error.',
      isProblem: false,
      strength: strengths.log,
    },
  ]
}

/**
 * Ranks the evidence about a call. The record alone is sufficient: more evidence refines the verdict.
 * @param evidence from the trace, log lines, captured SIP, and alerts, as far as they are loaded
 */
export const judgeCall = (call: Call, evidence: readonly CallEvidence[] = []): CallVerdict => {
  const ranked = evidence.toSorted((a, b) => b.strength - a.strength)
  if (call.answered) {
    const cause = ranked.find(({ isProblem }) => isProblem)
    const further = ranked.filter((one) => one !== cause)
    const { ending } = ranked.find((one) => one.ending !== undefined) ?? {}
    return { tone: cause === undefined ? 'neutral' : 'warn', title: describeAnswered(call, ending), cause, further }
  }
  const record = explainRecord(call)
  const [strongest] = ranked
  const cause = strongest !== undefined && strongest.strength >= record.strength ? strongest : record
  return {
    tone: cause.isOrdinary ? 'neutral' : 'bad',
    title: cause.title,
    cause,
    further: ranked.filter((one) => one !== cause && one.title !== cause.title),
  }
}
