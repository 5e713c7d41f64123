import { isSid } from '@patchbay/contract/values'
import { z } from 'zod'

/** What the feature server tells of a call before it sends the audio (api/4-calls-and-hosted.md §2.8). */

const sid = z.string().refine(isSid)
const text = z.string().max(1000).nullish().catch(null)

const metadata = z.object({
  accountSid: sid,
  callSid: sid,
  sampleRate: z.coerce.number().int().min(8000).max(48_000).default(8000),
  direction: text,
  from: text,
  to: text,
  callId: text,
  applicationSid: text,
  originatingSipIp: text,
  originatingSipTrunkName: text,
})

export interface RecordMetadata {
  account_sid: string
  call_sid: string
  sampleRate: number
  /** for the storage, by the platform's names (§2.7) */
  texts: Readonly<Record<string, string>>
}

/** Undefined for what is none. */
export const readRecordMetadata = (sent: string): RecordMetadata | undefined => {
  try {
    const told = metadata.parse(JSON.parse(sent))
    const texts = Object.entries(told).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
    return {
      account_sid: told.accountSid,
      call_sid: told.callSid,
      sampleRate: told.sampleRate,
      texts: Object.fromEntries(texts),
    }
  } catch {
    return undefined
  }
}
