import { createHash } from 'node:crypto'
import type { CallRecord } from './call-record.ts'

/** Parts of call records that every store of ours has in common. */

/**
 * Returns the part of the primary key that identifies a call besides account and time. A record without any id is
 * identified by a hash of its content.
 */
export const callKey = ({ call_sid, sip_callid, ...rest }: CallRecord): string => {
  if (call_sid) return call_sid
  if (sip_callid && sip_callid.length <= 255) return sip_callid
  const content = { ...rest, sip_callid, time: rest.time.toString() }
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

/**
 * Truncates text to the size of its column. jambonz sends nothing longer, and truncated text is better than a lost
 * call.
 */
export const truncate = (text: string | null, max = 255): string | null => text?.slice(0, max) ?? null
