import type { Uses } from '@patchbay/rules/speech/credential'

/** Result of a credential test (docs/reference/platform-api/speech.md#combined-status). */

/** Test result for synthesis or recognition. */
export interface TestResult {
  status: 'ok' | 'fail' | 'not tested'
  reason?: string | undefined
}

export type Health = 'ok' | 'fail' | 'not tested'

/** Combines the results for synthesis and recognition (docs/reference/platform-api/speech.md#combined-status). */
export const toHealth = (uses: Uses, tts: TestResult, stt: TestResult): Health => {
  const enabled = [...(uses.tts ? [tts] : []), ...(uses.stt ? [stt] : [])].map(({ status }) => status)
  if (enabled.every((status) => status === 'not tested')) return 'not tested'
  return enabled.every((status) => status !== 'fail') ? 'ok' : 'fail'
}

export const notEnabled = 'In order to test your credentials you need to enable TTS/STT.'

/** Returns the message for the combined result (docs/reference/platform-api/speech.md#combined-status). */
export const failureReason = (uses: Uses, tts: TestResult, stt: TestResult): string => {
  if (!uses.tts && !uses.stt) return notEnabled
  const health = toHealth(uses, tts, stt)
  if (health === 'ok') return 'Connection test successful'
  if (health === 'not tested') return 'Not tested by Patchbay, which has no test for these credentials.'
  const failures = [
    ...(uses.tts && tts.status === 'fail' ? [`TTS: ${tts.reason ?? 'no reason was given'}`] : []),
    ...(uses.stt && stt.status === 'fail' ? [`STT: ${stt.reason ?? 'no reason was given'}`] : []),
  ]
  return failures.join('. ')
}
