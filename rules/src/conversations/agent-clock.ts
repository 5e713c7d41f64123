import { addToGroup } from '../lib/groups.ts'
import type { AgentUtterance } from './agent-utterances.ts'
import type { PlatformTurn } from './platform-utterances.ts'
import { normalizeText } from './similar-text.ts'

/** Finds the difference between the clock of an application and that of the platform. Pure. */

/** Returns items by speaker and text. Items without a text are left out. */
const groupByText = <T extends { speaker: string; text: string }>(items: readonly T[]): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const text = normalizeText(item.text)
    if (text === '') continue
    addToGroup(groups, `${item.speaker} ${text}`, item)
  }
  return groups
}

/** Returns by how much the report of an utterance is ahead of the turn, or undefined if they have no time in common. */
const measureDifference = (utterance: AgentUtterance, turn: PlatformTurn): number | undefined => {
  if (turn.speaker === 'caller')
    return utterance.reported === undefined ? undefined : utterance.reported - turn.transcript_ms
  // A recognition has the words of the agent later, by a time that is unknown.
  if (turn.isRecognized === true && turn.end_evidence === 'unknown') return undefined
  if (utterance.end !== undefined) return utterance.end - turn.end_ms
  return utterance.start === undefined ? undefined : utterance.start - turn.start_ms
}

interface Vote {
  difference: number
  turn: PlatformTurn
  /** Phrases that occur repeatedly say less, because it is not known which ones belong together. */
  weight: number
}

/** Differences of the same clock vary by the delivery of events. */
const spreadMs = 2000

/** A larger difference has to follow from two turns, because a caller can say the same words again. */
const maxDifferenceOfOneTurn = 5000

/** Repeated phrases, such as a prompt, have more turns. They would cost time, and say little. */
const maxTurnsPerText = 5

const collectVotes = (utterances: readonly AgentUtterance[], turns: readonly PlatformTurn[]): Vote[] => {
  const turnsByText = groupByText(turns)
  return [...groupByText(utterances)].flatMap(([key, sameUtterances]) => {
    const same = turnsByText.get(key) ?? []
    if (same.length > maxTurnsPerText) return []
    return sameUtterances.flatMap((utterance) =>
      same.flatMap((turn) => {
        const difference = measureDifference(utterance, turn)
        return difference === undefined ? [] : [{ difference, turn, weight: 1 / (same.length * sameUtterances.length) }]
      }),
    )
  })
}

/** Returns the votes within the spread that weigh most. Of several such groups, the one with the smallest difference. */
const findAgreement = (votes: readonly Vote[]): readonly Vote[] => {
  let best: { weight: number; from: number; until: number; difference: number } | undefined
  let [from, weight] = [0, 0]
  for (const [last, vote] of votes.entries()) {
    weight += vote.weight
    for (let first = votes[from]; first !== undefined && vote.difference - first.difference > spreadMs; ) {
      weight -= first.weight
      from += 1
      first = votes[from]
    }
    const difference = Math.abs(vote.difference)
    // Sums of fractions are inexact.
    const gain = weight - (best?.weight ?? 0)
    const isBetter = best === undefined || gain > 0.001 || (gain > -0.001 && difference < best.difference)
    if (isBetter) best = { weight, from, until: last + 1, difference }
  }
  return votes.slice(best?.from, best?.until)
}

/** Events arrive a little later than what they report. */
const deliveryMs = 60_000

const isOutside = ({ start, end, reported }: AgentUtterance, callEnd: number): boolean =>
  [start, end, reported].every((time = Infinity) => time < -deliveryMs || time > callEnd + deliveryMs)

/**
 * Returns by how many milliseconds the clock of the utterances is ahead of that of the turns: the median of the
 * differences that most utterances agree on. Null if too few utterances are in both sources. One is enough if all
 * utterances are outside of the call.
 * @param callEnd milliseconds since the start of the call
 */
export const findClockDifference = (
  utterances: readonly AgentUtterance[],
  turns: readonly PlatformTurn[],
  callEnd = Infinity,
): number | null => {
  const votes = collectVotes(utterances, turns).toSorted((a, b) => a.difference - b.difference)
  const agreeing = findAgreement(votes)
  const median = agreeing[Math.floor(agreeing.length / 2)]?.difference
  if (median === undefined) return null
  const isReliable =
    Math.abs(median) <= maxDifferenceOfOneTurn ||
    new Set(agreeing.map(({ turn }) => turn)).size > 1 ||
    utterances.every((utterance) => isOutside(utterance, callEnd))
  return isReliable ? median : null
}
