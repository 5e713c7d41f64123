import type { Turn } from '@patchbay/contract/conversations'
import { isWholeResponse, sumLatency } from './agent-reports.ts'
import type { AgentUtterance } from './agent-utterances.ts'
import { estimateDuration } from './platform-utterances.ts'

/** Finds out when an utterance that only an agent reports was spoken. Pure. */

export interface PlacedTimes {
  start_ms: number
  start_evidence: Turn['start_evidence']
  end_ms: number
  end_evidence: Turn['end_evidence']
}

/** Returns when the audio of a response began: the steps after the transcript take place one after another. */
const deriveStart = ({ request, latency }: AgentUtterance): number | undefined =>
  request?.reported === undefined || !isWholeResponse(latency)
    ? undefined
    : request.reported + sumLatency(latency, (kind) => kind !== 'speech_to_text')

/** @param earliest end of the utterance before, in milliseconds */
const placeAgent = (utterance: AgentUtterance, earliest: number): PlacedTimes => {
  const { start, responseStart, reported, end, text, latency } = utterance
  const derived = start ?? deriveStart(utterance)
  const latest = end ?? reported ?? earliest
  const guessed = responseStart ?? Math.max(earliest + sumLatency(latency), latest - estimateDuration(text))
  const begin = derived ?? (end === undefined ? guessed : Math.min(guessed, end))
  return {
    start_ms: begin,
    start_evidence: start !== undefined ? 'measured' : derived !== undefined ? 'derived' : 'unknown',
    end_ms: Math.max(begin, end ?? begin + estimateDuration(text)),
    end_evidence: end === undefined ? 'unknown' : 'derived',
  }
}

/**
 * @param earliest end of the utterance before, in milliseconds
 * @param response the response of the agent with its start, if the same turn contains it
 */
const placeCaller = (
  { start, end, reported, text }: AgentUtterance,
  earliest: number,
  response: { utterance: AgentUtterance; start_ms: number } | undefined,
): PlacedTimes => {
  const latency = response?.utterance.latency ?? []
  const recognition = latency.find(({ kind }) => kind === 'speech_to_text')?.durationMs
  const derived = reported === undefined || recognition === undefined ? undefined : reported - recognition
  const began = Math.max(earliest, start ?? earliest)
  const guessed = reported ?? (response === undefined ? began : response.start_ms - sumLatency(latency))
  const stop = end ?? derived ?? guessed
  return {
    start_ms: Math.min(stop, start ?? Math.max(earliest, stop - estimateDuration(text))),
    start_evidence: start === undefined ? 'unknown' : 'measured',
    end_ms: stop,
    end_evidence: end !== undefined ? 'measured' : derived !== undefined ? 'derived' : 'unknown',
  }
}

/** Returns the times of utterances, in the order of their reports. */
export const placeUtterances = (utterances: readonly AgentUtterance[]): ReadonlyMap<AgentUtterance, PlacedTimes> => {
  const responses = new Map<AgentUtterance, AgentUtterance>()
  for (const utterance of utterances)
    if (utterance.request !== undefined && !responses.has(utterance.request))
      responses.set(utterance.request, utterance)
  const times = new Map<AgentUtterance, PlacedTimes>()
  let earliest: number | undefined
  for (const utterance of utterances) {
    const { end, reported, start, text } = utterance
    const first = start ?? reported ?? end ?? 0
    // The first utterance began at the start of the call at the earliest.
    const before = earliest ?? Math.max(Math.min(0, first), first - estimateDuration(text))
    let placed: PlacedTimes
    if (utterance.speaker === 'agent') placed = placeAgent(utterance, before)
    else {
      const response = responses.get(utterance)
      const begin = response && placeAgent(response, before).start_ms
      placed = placeCaller(
        utterance,
        before,
        response && begin !== undefined ? { utterance: response, start_ms: begin } : undefined,
      )
    }
    times.set(utterance, placed)
    earliest = Math.max(earliest ?? placed.end_ms, placed.end_ms)
  }
  return times
}
