import type { Turn } from '@patchbay/contract/conversations'
import { isCutText } from '../recordings/transcript.ts'

/** Finds the word at which a turn was interrupted. Pure. */

export type InterruptionPosition = Pick<NonNullable<Turn['interruption']>, 'position' | 'position_evidence'>

type SpokenTurn = Pick<Turn, 'speaker' | 'start_ms' | 'start_evidence' | 'end_ms' | 'end_evidence' | 'text'>

/** Characters per second of synthesized speech, if the conversation has no turn that shows it. */
const usualSpeed = 15

/** In shorter turns, pauses at both ends are a large part. */
const minMeasuredMs = 1000

/**
 * Returns how many characters per second the agent speaks, from turns with known times and whole texts that were not
 * interrupted.
 * @param interruptions those of the turns, in the same order
 */
export const measureSpeed = (turns: readonly SpokenTurn[], interruptions: readonly unknown[]): number => {
  let [characters, durationMs] = [0, 0]
  for (const [at, { speaker, start_ms, start_evidence, end_ms, end_evidence, text }] of turns.entries()) {
    const isMeasured = start_evidence !== 'unknown' && end_evidence !== 'unknown' && end_ms - start_ms >= minMeasuredMs
    if (speaker !== 'agent' || interruptions[at] !== null || text === '' || isCutText(text) || !isMeasured) continue
    characters += text.length
    durationMs += end_ms - start_ms
  }
  return durationMs === 0 ? usualSpeed : (characters / durationMs) * 1000
}

/** Returns the end of the word at a position. A text without spaces, such as a Chinese one, has no words to complete. */
const toEndOfWord = (text: string, position: number): number => {
  const untilSpace = text.slice(position).search(/\s/u)
  if (untilSpace >= 0) return position + untilSpace
  if (/\s/u.test(text)) return text.length
  // The second half of a character outside the Basic Multilingual Plane.
  return /[\uDC00-\uDFFF]/.test(text.charAt(position)) ? position + 1 : position
}

const unknown = { position: null, position_evidence: 'unknown' } as const satisfies InterruptionPosition

/**
 * Returns how much of the text of a turn was spoken before it was interrupted. The text of an agent is what it wanted to
 * say, and that of a caller what was recognized until the end of the turn.
 * @param isSpokenText whether the agent has reported the text that was really spoken
 * @param speed characters per second of the agent
 */
export const findPosition = (
  { speaker, start_ms, end_ms, text }: SpokenTurn,
  at_ms: number,
  { isSpokenText, speed }: { isSpokenText: boolean; speed: number },
): InterruptionPosition => {
  if (text === '') return unknown
  if (isSpokenText) return { position: text.length, position_evidence: 'measured' }
  const spokenMs = Math.max(0, at_ms - start_ms)
  const characters =
    speaker === 'agent' ? (spokenMs / 1000) * speed : (spokenMs / Math.max(1, end_ms - start_ms)) * text.length
  // The word is in the part of the text that is missing.
  if (speaker === 'agent' && isCutText(text) && characters >= text.length) return unknown
  const position = toEndOfWord(text, Math.min(text.length, Math.round(characters)))
  return { position, position_evidence: 'derived' }
}
