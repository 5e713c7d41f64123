import type { Outgoing } from '../outbound-http/outgoing.ts'
import { describeError } from '../outbound-http/error-messages.ts'
import type { Credential } from './speech.ts'
import { speechVendor } from './vendors.ts'
import { withVendorTimeout } from './vendor-timeout.ts'

/** What came of a test (api/3-speech.md §1.11); a failure always has its reason. */
export type HalfOutcome = { status: 'ok' } | { status: 'not tested' } | { status: 'fail'; reason: string }

/** One half of a credential, tried with a real request; vendors without a test for it are not tested. */
export const trySpeech = async (
  vendor: string,
  half: 'tts' | 'stt',
  credential: Credential,
  outgoing: Outgoing,
  seconds?: number,
): Promise<HalfOutcome> => {
  const adapter = await speechVendor(vendor)
  const test = half === 'tts' ? adapter?.tryTts : adapter?.tryStt
  if (test === undefined) return { status: 'not tested' }
  try {
    return { status: await withVendorTimeout(outgoing, (far) => test(credential, far), seconds) }
  } catch (error) {
    return { status: 'fail', reason: describeError(error, 'vendor') }
  }
}
