import { analyzeCaptures } from '@patchbay/contract/sip/findings/findings'
import { toFlowCapture } from '@patchbay/testkit/call-flows'
import {
  type CallOptions,
  type Fault,
  faults,
  GeneratedCall,
  middles,
} from '@patchbay/testkit/generated-calls-scenario'
import { runsAllCases } from '@patchbay/testkit/test-tier'
import { array, assert, boolean, constantFrom, integer, property, record, subarray } from 'fast-check'
import { expect, test } from 'vitest'

/** Findings about calls of a model of valid SIP: none above a note for a healthy call, exactly the fault for a broken one. */

const options = record<CallOptions>({
  hasProxy: boolean(),
  agents: constantFrom('one', 'two', 'unknown'),
  skew: integer({ min: -1500, max: 1500 }),
  audio: constantFrom('pcm', 'secure', 'wide'),
  authentication: constantFrom('none', 'challenge', 'stale', 'renewed', 'two realms'),
  before: constantFrom('none', 'redirect', 'overloaded', 'silent'),
  isForked: boolean(),
  ringing: subarray(['180 Ringing', '183 Session Progress'] as const),
  isReliable: boolean(),
  isOfferDelayed: boolean(),
  middle: array(constantFrom(...middles), { maxLength: 3 }),
  end: constantFrom('caller', 'called', 'both', 'canceled', 'open'),
})

/** Captures that miss messages, have them twice, or contain them in another order. */
const disturbances = record({
  lost: array(integer({ min: 0, max: 60 }), { maxLength: 4 }),
  repeated: array(integer({ min: 0, max: 60 }), { maxLength: 3 }),
})

const isProblem = ({ severity }: { severity: string }): boolean => severity === 'bad' || severity === 'warn'

const analyze = (call: CallOptions, lost: readonly number[] = [], repeated: readonly number[] = []) => {
  const { messages } = new GeneratedCall('generated@flows.example', call).run()
  const copies = repeated.flatMap((at) =>
    messages[at] ? [{ ...messages[at], seconds: messages[at].seconds + 0.5 }] : [],
  )
  const captured = [...messages, ...copies].filter((_message, at) => !lost.includes(at))
  return analyzeCaptures([{ name: 'A', capture: toFlowCapture({ messages: captured }) }]).findings
}

/** `npm test` checks a sample with a fixed seed. The merge tier checks all calls, and the workflow sets a new seed every
 * night. */
const seed = Number(process.env['GENERATED_CALLS_SEED'] ?? 1)
const runs = { seed, numRuns: runsAllCases ? 10_000 : 1_500 }

test('a healthy call has no finding above a note, whatever the capture misses or repeats', () => {
  assert(
    property(options, disturbances, (call, { lost, repeated }) => {
      expect(analyze(call, lost, repeated).filter(isProblem)).toEqual([])
    }),
    runs,
  )
})

/** The rules that report each fault, and no others. */
const expectedRules: Readonly<Record<Fault, readonly string[]>> = {
  refused: ['rejected'],
  silent: ['unanswered'],
  'no ACK': ['noAck'],
  'error without ACK': ['refusalNotAcked'],
  'no PRACK': ['noPrack'],
  'wrong password': ['authentication'],
  'no credentials': ['authentication'],
  'private contact': ['privateContact'],
  slow: ['repeated'],
  'BYE refused': ['otherRequests'],
  'dialog lost': ['otherRequests'],
  'digits refused': ['otherRequests'],
  'abnormal end': ['hungUp'],
  'session timer': ['hungUp'],
}

/** Options without which a fault has its effect. A request that arrives at a private contact proves that it is reached. */
const neededOptions: Readonly<Partial<Record<Fault, Partial<CallOptions>>>> = {
  'private contact': { middle: [], end: 'caller' },
  'session timer': { middle: [] },
}

test.each(faults)('a call with one fault has exactly the finding of that fault: %s', (fault) => {
  assert(
    property(options, (call) => {
      const problems = analyze({ ...call, ...neededOptions[fault], fault }).filter(isProblem)
      expect([...new Set(problems.map(({ rule }) => rule))]).toEqual(expectedRules[fault])
    }),
    { seed, numRuns: Math.ceil(runs.numRuns / faults.length) },
  )
})
