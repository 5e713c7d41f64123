import { describeError } from '../outbound-http/error-messages.ts'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import { encodeMp3 } from './encode-mp3.ts'
import { type Audio, type Credential, type SynthesisRequest, VendorError } from './speech.ts'
import { withVendorTimeout } from './vendor-timeout.ts'
import { loadSpeechVendor } from './vendors.ts'

/** Speech that a vendor synthesized. */
export interface SynthesizedSpeech {
  type: 'audio/mpeg' | 'audio/wav' | 'application/octet-stream'
  content: Buffer
  /**
   * Milliseconds until the first byte of the vendor's last response, and until the response was complete. Both are
   * equal for vendors that use gRPC.
   */
  milliseconds: { firstByte: number; total: number }
}

const toOutputFormat = async (audio: Audio, asMp3: boolean): Promise<Pick<SynthesizedSpeech, 'type' | 'content'>> => {
  if (audio.type !== 'pcm') return audio
  if (asMp3) return { type: 'audio/mpeg', content: await encodeMp3(audio) }
  return { type: 'application/octet-stream', content: audio.content }
}

/**
 * Synthesizes a phrase.
 * @throws VendorError with the vendor's own message, or with a description of the network failure
 */
export const synthesizeSpeech = async (
  vendor: string,
  credential: Credential,
  phrase: SynthesisRequest,
  { outgoing, asMp3, seconds }: { outgoing: Outgoing; asMp3: boolean; seconds?: number },
): Promise<SynthesizedSpeech> => {
  const adapter = await loadSpeechVendor(vendor)
  const synthesize = adapter?.synthesize
  if (synthesize === undefined) throw new VendorError(`Patchbay has no speech synthesis for ${vendor}`)
  const start = performance.now()
  let firstByte: number | undefined
  const onAnswer = () => {
    firstByte = performance.now() - start
  }
  const outgoingWithTiming: Outgoing = {
    ...outgoing,
    send: (url, request) => outgoing.send(url, { ...request, onAnswer }),
  }
  const audio = await withVendorTimeout(
    outgoingWithTiming,
    (context) => synthesize(credential, phrase, context),
    seconds,
  ).catch((error: unknown) => {
    throw new VendorError(describeError(error, 'vendor'))
  })
  const total = performance.now() - start
  return { ...(await toOutputFormat(audio, asMp3)), milliseconds: { firstByte: firstByte ?? total, total } }
}
