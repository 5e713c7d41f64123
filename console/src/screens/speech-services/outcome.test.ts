import type { Uses } from '@patchbay/rules/speech/credential'
import { describe, expect, test } from 'vitest'
import { failureReason, type TestResult, toHealth } from './outcome.ts'

describe('combined test result', () => {
  const ok: TestResult = { status: 'ok' }
  const not: TestResult = { status: 'not tested' }
  const bad = (reason: string): TestResult => ({ status: 'fail', reason })
  test.each<[string, Uses, TestResult, TestResult, string, string]>([
    ['both', { tts: true, stt: true }, ok, ok, 'ok', 'Connection test successful'],
    ['one of two is not tested', { tts: true, stt: true }, ok, not, 'ok', 'Connection test successful'],
    ['one alone', { tts: false, stt: true }, not, ok, 'ok', 'Connection test successful'],
    [
      'neither enabled',
      { tts: false, stt: false },
      not,
      not,
      'not tested',
      'In order to test your credentials you need to enable TTS/STT.',
    ],
    [
      'no test',
      { tts: true, stt: true },
      not,
      not,
      'not tested',
      'Not tested by Patchbay, which has no test for these credentials.',
    ],
    ['both fail', { tts: true, stt: true }, bad('a'), bad('b'), 'fail', 'TTS: a. STT: b'],
    ['one fails', { tts: true, stt: true }, ok, bad('b'), 'fail', 'STT: b'],
    ['one alone fails', { tts: true, stt: false }, bad('a'), not, 'fail', 'TTS: a'],
    ['what is off does not count', { tts: true, stt: false }, ok, bad('b'), 'ok', 'Connection test successful'],
  ])('%s', (_, uses, tts, stt, health, reason) => {
    expect([toHealth(uses, tts, stt), failureReason(uses, tts, stt)]).toEqual([health, reason])
  })
})
