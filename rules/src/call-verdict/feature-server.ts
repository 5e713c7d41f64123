import type { Call } from '@patchbay/contract/recent-calls'
import type { NamedFinding } from '../sip/findings/findings.ts'
import type { SipLadder } from '../sip/ladder.ts'
import { getHeader, type ParsedSipMessage } from '../sip/parser.ts'
import { getPhrase } from '../sip/reasons.ts'
import { sipStatusName } from '../sip/statuses.ts'
import { type CallEvidence, isOutbound } from './evidence.ts'

/** Explains inbound calls that a feature server rejected, as its leg in the capture shows. Pure. */

/** Statuses that a feature server sends with their registered phrase, unless an application states another one. */
const declining = new Set([403, 404, 410, 480, 486, 600, 603])

/**
 * Returns whether the leg that was rejected is that of a feature server: the SBC sent its INVITE, and named the call of the
 * record in it.
 */
const isOfFeatureServer = (
  { host, sip_callid }: Call,
  { arrows, lanes }: SipLadder,
  { rule, arrows: [id = -1] }: NamedFinding,
): boolean => {
  const { from, message } = arrows[id] ?? {}
  return (
    rule === 'legs' &&
    from !== undefined &&
    message?.method === 'INVITE' &&
    lanes[from]?.address === host &&
    getHeader(message, 'x-cid')?.trim() === sip_callid
  )
}

/** Returns whether the verb `sip:decline` sent a response. A feature server marks it. */
const isMarked = (response: ParsedSipMessage): boolean =>
  getHeader(response, 'x-verb')?.trim().toLowerCase() === 'sip decline'

/** Returns whether a response has a phrase that is not the one of its status. Without a verb, only reasons are stated. */
const hasOwnPhrase = (response: ParsedSipMessage): boolean => {
  const { status = 0 } = response
  const phrase = getPhrase(response).toLowerCase()
  return declining.has(status) && phrase !== '' && phrase !== sipStatusName(status)?.toLowerCase()
}

const declined = (response: ParsedSipMessage, status: number): Partial<CallEvidence> => ({
  side: 'application',
  title: `The application declined the call (${[status, getPhrase(response)].join(' ').trim()}).`,
  next: 'Change the application if it should not decline such calls.',
})

/** Says what to check if a feature server responded, for the statuses that an SBC also sends if it has none. */
const responded = new Map([
  [
    480,
    'A feature server responded with this status. Test the webhook of the application, which must respond with verbs that answer the call, and check that a media server is available.',
  ],
  [
    503,
    'A feature server responded with this status. Look for the Call-ID in its log, and check whether the application declines the call.',
  ],
])

/**
 * Returns what a rejection says about the application of an inbound call: that it declined the call, or that a feature server
 * was available. Undefined if the rejection is not the one of the record, or not by a feature server.
 */
export const describeFeatureServer = (
  call: Call,
  ladder: SipLadder,
  finding: NamedFinding,
): Partial<CallEvidence> | undefined => {
  const { refused } = finding
  const status = call.sip_status ?? 0
  if (isOutbound(call) || refused === undefined || refused.response.status !== status) return undefined
  if (isMarked(refused.response)) return declined(refused.response, status)
  if (!isOfFeatureServer(call, ladder, finding)) return undefined
  // With more legs, the phrase can be that of a party that the application dialed.
  if (ladder.legs.length === 2 && hasOwnPhrase(refused.response)) return declined(refused.response, status)
  const next = responded.get(status)
  return next === undefined ? undefined : { next }
}
