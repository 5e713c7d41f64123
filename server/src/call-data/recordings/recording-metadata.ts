import { isSid } from '@patchbay/contract/shared/sids'
import { z } from 'zod'

/**
 * Metadata of a call, which the feature server sends before the audio
 * (docs/reference/platform-api/recordings.md#recording-websocket).
 */

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
  /** Metadata for the storage, with jambonz's names (docs/reference/platform-api/recordings.md#object-storage). */
  storageMetadata: Readonly<Record<string, string>>
}

/** Parses the first message of a recording. Returns undefined if it is invalid. */
export const parseRecordMetadata = (message: string): RecordMetadata | undefined => {
  try {
    const parsed = metadata.parse(JSON.parse(message))
    const entries = Object.entries(parsed).flatMap(([name, value]) => (value ? [[name, String(value)]] : []))
    return {
      account_sid: parsed.accountSid,
      call_sid: parsed.callSid,
      sampleRate: parsed.sampleRate,
      storageMetadata: Object.fromEntries(entries),
    }
  } catch {
    return undefined
  }
}
