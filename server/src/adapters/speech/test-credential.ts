import { describeError } from '../outbound-http/error-messages.ts'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { Credential } from './speech.ts'
import { withVendorTimeout } from './vendor-timeout.ts'
import { loadSpeechVendor } from './vendors.ts'

/**
 * Result of a credential test (docs/reference/platform-api/speech.md#test-a-credential). A failure always has a reason.
 */
export type TestOutcome = { status: 'ok' } | { status: 'not tested' } | { status: 'fail'; reason: string }

/** Tests synthesis or recognition with a real request. Returns `not tested` if the vendor has no such test. */
export const testCredential = async (
  vendor: string,
  half: 'tts' | 'stt',
  credential: Credential,
  outgoing: Outgoing,
  seconds?: number,
): Promise<TestOutcome> => {
  const adapter = await loadSpeechVendor(vendor)
  const test = half === 'tts' ? adapter?.testTts : adapter?.testStt
  if (test === undefined) return { status: 'not tested' }
  try {
    return { status: await withVendorTimeout(outgoing, (context) => test(credential, context), seconds) }
  } catch (error) {
    return { status: 'fail', reason: describeError(error, 'vendor') }
  }
}
