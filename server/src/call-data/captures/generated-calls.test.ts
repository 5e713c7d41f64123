import { analyzeCaptures, ruleNames } from '@patchbay/rules/sip/findings/findings'
import type { CapturedLeg } from '@patchbay/rules/sip/ladder'
import { analyzeFlow, isProblem, readCallFlows, toFlowCapture } from '@patchbay/testkit/calls/call-flows'
import { type CallOptions, type Fault, faults, middles } from '@patchbay/testkit/calls/generated-call-options'
import type { CallRecorder } from '@patchbay/testkit/calls/generated-calls'
import { GeneratedCall } from '@patchbay/testkit/calls/generated-calls-scenario'
import { injectors } from '@patchbay/testkit/calls/generated-injectors'
import { type MediaError, type MediaErrorName, mediaErrors } from '@patchbay/testkit/calls/generated-media-errors'
import {
  type RegistrationError,
  type RegistrationOptions,
  recordRegistration,
  registrationErrors,
} from '@patchbay/testkit/calls/generated-registrations'
import { allAudioCodecs, type MediaOptions } from '@patchbay/testkit/calls/generated-sessions'
import { runsAllCases } from '@patchbay/testkit/test-tier'
import { array, assert, boolean, constantFrom, integer, property, record, shuffledSubarray, subarray } from 'fast-check'
import { describe, expect, test } from 'vitest'

/** Findings about calls of a model of valid SIP: none above a note for a healthy call, exactly the fault for a broken one. */

const media = record<MediaOptions>({
  codecs: shuffledSubarray([...allAudioCodecs], { minLength: 1 }),
  hasEvents: boolean(),
  answersAll: boolean(),
  hasOwnNumbers: boolean(),
  security: constantFrom('none', 'none', 'keys', 'keys with feedback', 'best effort', 'best effort declined', 'dtls'),
  suite: constantFrom(0, 1, 2),
  roles: constantFrom(
    ['actpass', 'active'] as const,
    ['actpass', 'passive'] as const,
    ['active', 'passive'] as const,
    ['passive', 'active'] as const,
  ),
  ice: constantFrom('none', 'none', 'full', 'trickle', 'lite', 'declined'),
  hasVideo: boolean(),
  declinesVideo: boolean(),
})

const options = record<CallOptions>({
  hasProxy: boolean(),
  agents: constantFrom('one', 'two', 'unknown'),
  skew: integer({ min: -1500, max: 1500 }),
  media,
  authentication: constantFrom('none', 'challenge', 'stale', 'renewed', 'two realms'),
  before: constantFrom('none', 'redirect', 'overloaded', 'silent'),
  isForked: boolean(),
  ringing: subarray(['180 Ringing', '183 Session Progress'] as const),
  early: constantFrom('none', 'reliable', 'update', 'offer in PRACK'),
  repeatsMedia: boolean(),
  isOfferDelayed: boolean(),
  refresher: constantFrom('none', 'none', 'uac', 'uas'),
  beginsOnHold: boolean(),
  middle: array(constantFrom(...middles), { maxLength: 3 }),
  end: constantFrom('caller', 'called', 'both', 'canceled', 'open'),
})

/** Captures that miss messages, have them twice, or contain them in another order. */
const disturbances = record({
  lost: array(integer({ min: 0, max: 60 }), { maxLength: 4 }),
  repeated: array(integer({ min: 0, max: 60 }), { maxLength: 3 }),
})

const analyzeCapture = (messages: CallRecorder['messages']) =>
  analyzeCaptures([{ name: 'A', capture: toFlowCapture({ messages }) }])

const analyzeMessages = (messages: CallRecorder['messages']) => analyzeCapture(messages).findings

const analyze = (call: CallOptions) =>
  analyzeMessages(new GeneratedCall('generated@flows.example', call).run().messages)

const disturb = (
  messages: CallRecorder['messages'],
  lost: readonly number[],
  repeated: readonly number[],
): CallRecorder['messages'] => {
  const copies = repeated.flatMap((at) =>
    messages[at] ? [{ ...messages[at], seconds: messages[at].seconds + 0.5 }] : [],
  )
  return [...messages, ...copies].filter((_message, at) => !lost.includes(at))
}

/** `npm test` checks a sample with a fixed seed. The merge tier checks all calls, and the workflow sets a new seed every
 * night. */
const seed = Number(process.env['GENERATED_CALLS_SEED'] ?? 1)
const runs = { seed, numRuns: runsAllCases ? 10_000 : 1_000 }

const toRules = (findings: readonly { rule: string }[]): string[] => [...new Set(findings.map(({ rule }) => rule))]

describe('a healthy call', () => {
  test('has no finding above a note, whatever the capture misses or repeats', () => {
    assert(
      property(options, disturbances, (call, { lost, repeated }) => {
        const { messages } = new GeneratedCall('generated@flows.example', call).run()
        expect(analyzeMessages(disturb(messages, lost, repeated)).filter(isProblem)).toEqual([])
      }),
      runs,
    )
  })

  test('has no message that is stamped before its cause, if one clock stamps all, whatever the capture misses', () => {
    assert(
      property(options, disturbances, (call, { lost }) => {
        const { messages } = new GeneratedCall('generated@flows.example', { ...call, skew: 0, agents: 'one' }).run()
        const { arrows } = analyzeCapture(disturb(messages, lost, [])).ladder
        expect(arrows.flatMap(({ title, early }) => (early === undefined ? [] : [title]))).toEqual([])
      }),
      { ...runs, numRuns: runs.numRuns / 2 },
    )
  })

  test('has the audio that its offer and answer agreed, if it is captured completely', () => {
    assert(
      property(options, (call) => {
        const findings = analyze({ ...call, beginsOnHold: false, end: 'caller' })
        expect(findings.filter(isProblem)).toEqual([])
        expect(toRules(findings)).toEqual(expect.arrayContaining(['answered', 'agreed', 'hungUp']))
      }),
      { ...runs, numRuns: runs.numRuns / 10 },
    )
  })
})

const plainOptions: Partial<CallOptions> = { end: 'caller', refresher: 'none', early: 'none', beginsOnHold: false }

describe('a response that is not captured', () => {
  const middleWith: Readonly<Record<string, readonly CallOptions['middle'][number][]>> = {
    BYE: [],
    INFO: ['digits'],
    OPTIONS: ['options'],
    REFER: ['transfer'],
    UPDATE: ['update'],
  }

  test.each(Object.entries(middleWith))('to %s is a note that says so, and no fault', (method, middle) => {
    assert(
      property(options, (call) => {
        const { messages } = new GeneratedCall('generated@flows.example', { ...call, ...plainOptions, middle }).run()
        const isLost = ({ text }: { text: string }) =>
          text.startsWith('SIP/2.0 ') && new RegExp(`^CSeq: \\d+ ${method}\r?$`, 'm').test(text)
        const findings = analyzeMessages(messages.filter((one) => !isLost(one)))
        expect(findings.filter(isProblem)).toEqual([])
        expect(findings.map(({ text }) => text).join(' ')).toMatch(
          new RegExp(`No response of [^ ].* to the ${method} was captured`),
        )
      }),
      { seed, numRuns: faultRuns },
    )
  })
})

test('a call of two legs has no finding above a note if both are healthy', () => {
  assert(
    property(options, options, (first, second) => {
      const toLeg = (name: string, call: CallOptions): CapturedLeg => {
        const { messages } = new GeneratedCall(`${name}@flows.example`, { ...call, end: 'called' }).run()
        return { name, capture: toFlowCapture({ messages }) }
      }
      const { findings } = analyzeCaptures([toLeg('A', first), toLeg('B', second)])
      expect(findings.filter(isProblem)).toEqual([])
      expect(toRules(findings)).toContain('legs')
    }),
    { ...runs, numRuns: runs.numRuns / 10 },
  )
})

/** The rules that report each fault, and no others. */
const expectedRules: Readonly<Record<Fault, readonly string[]>> = {
  refused: ['rejected'],
  'media refused': ['rejected', 'codecs'],
  silent: ['unanswered'],
  'no ACK': ['noAck'],
  'error without ACK': ['refusalNotAcked'],
  'no PRACK': ['noPrack'],
  'wrong password': ['authentication'],
  'no credentials': ['authentication'],
  'private contact': ['privateContact'],
  slow: ['repeated'],
  'no description in the answer': ['noAnswerToOffer'],
  'description in an unreliable response only': ['noAnswerToOffer'],
  'ACK without an answer': ['noAnswerToOffer'],
  're-INVITE without an answer': ['noAnswerToOffer'],
  'UPDATE without an answer': ['noAnswerToOffer'],
  'BYE refused': ['otherRequests'],
  'BYE not answered': ['otherRequests'],
  'dialog lost': ['otherRequests'],
  'digits refused': ['keys'],
  'transfer refused': ['otherRequests'],
  'transfer failed': ['transfer'],
  'no media received': ['noMediaReceived'],
  'no packets received': ['noMediaReceived'],
  'abnormal end': ['hungUp'],
  'session timer': ['hungUp'],
}

/** Options without which a fault has its effect. A request that arrives at a private contact proves that it is reached. */
const neededOptions: Readonly<Partial<Record<Fault, Partial<CallOptions>>>> = {
  'media refused': { isOfferDelayed: false },
  'private contact': { middle: [], end: 'caller', early: 'none', refresher: 'none', beginsOnHold: false },
  'session timer': { middle: [], refresher: 'none', beginsOnHold: false },
  'dialog lost': { refresher: 'none' },
  'no description in the answer': { isOfferDelayed: false, early: 'none' },
  'description in an unreliable response only': { isOfferDelayed: false, early: 'none' },
  'ACK without an answer': { isOfferDelayed: true, early: 'none' },
  'digits refused': { middle: [] },
  'transfer refused': { middle: [] },
}

const neededMedia: Readonly<Partial<Record<Fault, Partial<MediaOptions>>>> = { 'digits refused': { hasEvents: false } }

/** Calls with each fault, as many in total as healthy ones. */
const faultRuns = Math.ceil(runs.numRuns / (faults.length + 2 * Object.keys(mediaErrors).length))

test.each(faults)('a call with one fault has exactly the finding of that fault: %s', (fault) => {
  assert(
    property(options, (call) => {
      const broken = { ...call, ...neededOptions[fault], media: { ...call.media, ...neededMedia[fault] }, fault }
      expect(toRules(analyze(broken).filter(isProblem))).toEqual(expectedRules[fault])
    }),
    { seed, numRuns: faultRuns },
  )
})

const allMediaErrors = Object.entries(mediaErrors) as readonly [MediaErrorName, MediaError][]

/** Changes after which a description has other streams, which the faults of streams name. */
const otherStreams = new Set(['fax', 'fax refused', 'video'])

describe('an answer with one fault', () => {
  test.each(allMediaErrors)('has exactly the finding of that fault when a call begins: %s', (name, fault) => {
    assert(
      property(options, (call) => {
        const broken: CallOptions = {
          ...call,
          media: { ...call.media, ...fault.needs },
          middle: [],
          refresher: 'none',
          beginsOnHold: false,
          isOfferDelayed: call.isOfferDelayed && fault.isOfCalled !== true,
          early: call.early === 'none' ? 'none' : 'reliable',
          mediaError: { name, where: 'first' },
        }
        const problems = analyze(broken).filter(isProblem)
        expect(toRules(problems)).toEqual(fault.initial)
        for (const { text } of problems) expect(text).toMatch(fault.text)
      }),
      { seed, numRuns: faultRuns },
    )
  })

  test.each(allMediaErrors)('has exactly the finding of that fault during a call: %s', (name, fault) => {
    assert(
      property(options, constantFrom('INVITE', 'UPDATE'), (call, where) => {
        const broken: CallOptions = {
          ...call,
          media: { ...call.media, ...fault.needs },
          middle: call.middle.filter((one) => !otherStreams.has(one)),
          refresher: 'none',
          mediaError: { name, where },
        }
        const problems = analyze(broken).filter(isProblem)
        expect(toRules(problems)).toEqual(fault.change)
        for (const { text } of problems) expect(text).toMatch(fault.text)
      }),
      { seed, numRuns: faultRuns },
    )
  })
})

const registrations = record<RegistrationOptions>({
  authentication: constantFrom('none', 'challenge', 'stale', 'renewed'),
  isTooBrief: boolean(),
  hasOtherDevice: boolean(),
  rounds: integer({ min: 1, max: 4 }),
  isRemoved: boolean(),
})

const expectedOfRegistration: Readonly<Record<RegistrationError, readonly string[]>> = {
  refused: ['otherRequests'],
  'wrong password': ['authentication'],
  'no credentials': ['authentication'],
  'not kept': ['registered'],
  'not answered': ['otherRequests'],
}

describe('a registration', () => {
  const analyzeRegistration = (registration: RegistrationOptions) =>
    analyzeMessages(recordRegistration('registered@flows.example', registration).messages)

  test('that succeeds has no finding above a note, whatever the capture misses or repeats', () => {
    assert(
      property(registrations, disturbances, (registration, { lost, repeated }) => {
        const { messages } = recordRegistration('registered@flows.example', registration)
        expect(toRules(analyzeMessages(messages))).toContain('registered')
        expect(analyzeMessages(disturb(messages, lost, repeated)).filter(isProblem)).toEqual([])
      }),
      { seed, numRuns: runs.numRuns / 10 },
    )
  })

  test.each(registrationErrors)('with one fault has exactly the finding of that fault: %s', (fault) => {
    assert(
      property(registrations, (registration) => {
        const problems = analyzeRegistration({ ...registration, fault }).filter(isProblem)
        expect(toRules(problems)).toEqual(expectedOfRegistration[fault])
      }),
      { seed, numRuns: faultRuns },
    )
  })
})

describe('a finding', () => {
  const inject = (legs: readonly CapturedLeg[]) => analyzeCaptures(legs).findings

  test.each(ruleNames)('can be injected: %s', (rule) => {
    expect(injectors[rule]).not.toHaveLength(0)
    for (const injector of injectors[rule]) expect(toRules(inject(injector()))).toContain(rule)
  })

  test('can be injected with each severity that it has in the corpus of call flows', () => {
    const toKinds = (findings: ReturnType<typeof inject>) => findings.map(({ rule, severity }) => `${rule} ${severity}`)
    const injected = new Set(ruleNames.flatMap((rule) => injectors[rule].flatMap((one) => toKinds(inject(one())))))
    const inCorpus = new Set(readCallFlows().flatMap((flow) => toKinds(analyzeFlow(flow).findings)))
    expect([...inCorpus].filter((kind) => !injected.has(kind))).toEqual([])
  })
})
