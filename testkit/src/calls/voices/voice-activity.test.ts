import { readFileSync } from 'node:fs'
import { findVoiceActivity } from '@patchbay/rules/conversations/find-voice'
import { findSpokenTurns } from '@patchbay/rules/conversations/speaker-segmentation'
import { LevelMeter } from '@patchbay/rules/conversations/voice-levels'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { describe, expect, test } from 'vitest'
import { composeCall } from './synthetic-call.ts'
import { corpusGroups, detectVoices, joinErrors, measureCorpus, shareWithin100ms } from './synthetic-corpus.ts'

const percentile = (errors: readonly number[], share: number): number =>
  errors.toSorted((a, b) => a - b)[Math.floor(errors.length * share)] ?? 0

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Returns the table of docs/explanation/voice-activity.md. */
const toTable = (groups: ReturnType<typeof measureCorpus>): string => {
  const all = {
    name: '**all**',
    calls: groups.reduce((sum, { calls }) => sum + calls, 0),
    errors: joinErrors(groups.map(({ errors }) => errors)),
  }
  const rows = [...groups, all].map(({ name, calls, errors: { boundaries, gaps, interruptions } }) => [
    name,
    calls,
    boundaries.length,
    percentile(boundaries, 0.5),
    percentile(boundaries, 0.95),
    percent(shareWithin100ms(boundaries)),
    percent(shareWithin100ms(gaps)),
    `${interruptions.found} of ${interruptions.total}`,
    interruptions.false,
  ])
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n')
}

describe('the detection of voices', () => {
  test('finds the turns of 30 calls with noise, echo, and lost packets, with the errors in the documentation', () => {
    expect(corpusGroups.reduce((sum, { calls }) => sum + calls.length, 0)).toBe(30)
    const groups = measureCorpus()
    const { boundaries, gaps, interruptions } = joinErrors(groups.map(({ errors }) => errors))
    expect(shareWithin100ms(boundaries)).toBeGreaterThan(0.95)
    expect(shareWithin100ms(gaps)).toBeGreaterThan(0.95)
    expect(interruptions.found / interruptions.total).toBeGreaterThan(0.95)
    expect(interruptions.false / interruptions.total).toBeLessThan(0.05)
    const page = readFileSync(new URL('../../../../docs/explanation/voice-activity.md', import.meta.url), 'utf8')
    expect(page).toContain(toTable(groups))
  })

  test('has similar errors in calls that it was not adjusted to', () => {
    const { boundaries, interruptions } = joinErrors(measureCorpus(9000).map(({ errors }) => errors))
    expect(shareWithin100ms(boundaries)).toBeGreaterThan(0.95)
    expect(interruptions.found / interruptions.total).toBeGreaterThan(0.9)
    expect(interruptions.false / interruptions.total).toBeLessThan(0.05)
  })

  test('gives the same result for audio in pieces, and for interleaved channels', () => {
    const call = composeCall(1, { noise: 'pink', signalToNoise: 20 }, 2)
    const interleaved = new Float32Array(call.caller.length * 2)
    for (const [position, sample] of call.caller.entries()) {
      interleaved[position * 2] = sample
      interleaved[position * 2 + 1] = call.agent[position] ?? 0
    }
    const meters = [new LevelMeter(8000), new LevelMeter(8000)] as const
    const random = createRandom(3)
    for (let at = 0; at < interleaved.length; ) {
      const piece = interleaved.subarray(at, at + 2 * random.below(700))
      meters[0].add(piece, 0, 2)
      meters[1].add(piece, 1, 2)
      at += piece.length
    }
    expect(findVoiceActivity(meters[0].getLevels(), meters[1].getLevels())).toEqual(detectVoices(call))
  })

  test('finds no voice in silence, noise, and an empty recording', () => {
    const random = createRandom(1)
    const silence = new Float32Array(80_000)
    const noise = silence.map(() => (random.roll() - 0.5) * 0.02)
    expect(detectVoices({ caller: silence, agent: noise })).toEqual({ caller: [], agent: [], duration_ms: 10_000 })
    const empty = new Float32Array(0)
    expect(detectVoices({ caller: empty, agent: empty })).toEqual({ caller: [], agent: [], duration_ms: 0 })
  })
})

describe('turns', () => {
  const find = (caller: [number, number][], agent: [number, number][]) => {
    const toIntervals = (pairs: [number, number][]) => pairs.map(([start, end]) => ({ start, end }))
    const turns = findSpokenTurns({ caller: toIntervals(caller), agent: toIntervals(agent), duration_ms: 60_000 })
    return turns.map(({ speaker, start, end, isBackchannel }) => [speaker, start, end, isBackchannel])
  }

  test('contain pauses in which the other side is silent, up to three seconds', () => {
    expect(
      find(
        [
          [5000, 6000],
          [7500, 8000],
          [12_000, 13_000],
        ],
        [[0, 4000]],
      ),
    ).toEqual([
      ['agent', 0, 4000, false],
      ['caller', 5000, 8000, false],
      ['caller', 12_000, 13_000, false],
    ])
  })

  test('do not end at a short sound of agreement', () => {
    expect(
      find(
        [[2000, 2500]],
        [
          [0, 3000],
          [3500, 6000],
        ],
      ),
    ).toEqual([
      ['agent', 0, 6000, false],
      ['caller', 2000, 2500, true],
    ])
  })
})
