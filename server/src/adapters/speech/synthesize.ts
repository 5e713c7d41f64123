import type { Outgoing } from '../outbound-http/outgoing.ts'
import { describeError } from '../outbound-http/error-messages.ts'
import { mp3Of } from './encode-mp3.ts'
import { type Audio, type Credential, type SynthesisRequest, VendorRefused } from './speech.ts'
import { speechVendor } from './vendors.ts'
import { withVendorTimeout } from './vendor-timeout.ts'

/** What a phrase sounds like, by a vendor. */
export interface Said {
  type: 'audio/mpeg' | 'audio/wav' | 'application/octet-stream'
  content: Buffer
  /** until the vendor's last answer began, and until all of it was there; of a vendor over gRPC they are one */
  milliseconds: { firstByte: number; all: number }
}

const formatted = async (audio: Audio, asMp3: boolean): Promise<Pick<Said, 'type' | 'content'>> => {
  if (audio.type !== 'pcm') return audio
  if (asMp3) return { type: 'audio/mpeg', content: await mp3Of(audio) }
  return { type: 'application/octet-stream', content: audio.content }
}

/** Rejects with the vendor's own words, or ours. */
export const say = async (
  vendor: string,
  credential: Credential,
  phrase: SynthesisRequest,
  { outgoing, asMp3, seconds }: { outgoing: Outgoing; asMp3: boolean; seconds?: number },
): Promise<Said> => {
  const adapter = await speechVendor(vendor)
  const synthesize = adapter?.synthesize
  if (synthesize === undefined) throw new VendorRefused(`${vendor} does not speak`)
  const start = performance.now()
  let firstByte: number | undefined
  const onAnswer = () => {
    firstByte = performance.now() - start
  }
  const watched: Outgoing = { ...outgoing, send: (url, request) => outgoing.send(url, { ...request, onAnswer }) }
  const audio = await withVendorTimeout(watched, (far) => synthesize(credential, phrase, far), seconds).catch(
    (error: unknown) => {
      throw new VendorRefused(describeError(error, 'vendor'))
    },
  )
  const all = performance.now() - start
  return { ...(await formatted(audio, asMp3)), milliseconds: { firstByte: firstByte ?? all, all } }
}
