import type { Call } from '@patchbay/contract/recent-calls'
import { adviseAbout, type DestinationKind } from '../sip/destination-advice.ts'
import { describeStatus, formatStatus } from '../sip/statuses.ts'
import { type CallEvidence, type CallSide, isOrdinaryStatus, isOutbound, strengths } from './evidence.ts'

/**
 * Rules for the call record alone: final SIP status, direction, and termination reason. The record does not say who sent
 * the status: the SBC passes on the status of a carrier, and sends some statuses itself. Pure.
 */

interface Meaning {
  side: CallSide
  /** Says what happened, without the status. */
  title: string
  next: string
}

const openMessages = 'Open the SIP messages to see which.'

/** Returns the party that an outbound call was sent to. */
export const describeDestination = ({ trunk }: Call): { name: string; side: CallSide; kind: DestinationKind } => {
  if (trunk === 'user') return { name: 'The SIP client', side: 'called-party', kind: 'client' }
  if (trunk === 'sipUri') return { name: 'The SIP URI', side: 'called-party', kind: 'uri' }
  if (trunk === 'Microsoft Teams') return { name: trunk, side: 'carrier', kind: 'carrier' }
  const name = trunk && trunk !== 'undefined' ? `Carrier ${trunk}` : 'The carrier'
  return { name, side: 'carrier', kind: 'carrier' }
}

/** Returns whether the record says that a carrier is the other party of a leg. */
export const isCarrierLeg = (call: Call): boolean =>
  call.trunk !== null && call.trunk !== 'undefined' && describeDestination(call).kind === 'carrier'

/** Explains the statuses of outbound calls that do not tell whether the destination or the SBC sent them. */
const explainAmbiguous = (status: number, call: Call): Meaning | undefined => {
  const { name, kind } = describeDestination(call)
  const senders = `${name} or the platform can have sent this status.`
  const of = (title: string, next: string): Meaning => ({ side: 'unknown', title, next: `${next} ${openMessages}` })
  switch (status) {
    case 480:
      return of(
        'The call could not be connected',
        'The called party was not available, its network had no route, or the platform had no media server.',
      )
    case 488:
      // The platform routes only calls to carriers.
      return kind === 'carrier'
        ? of(
            'The offered media were rejected, or least cost routing failed',
            'Compare the offered codecs and encryption with what the other side supports, and check the outbound routing.',
          )
        : undefined
    case 500:
      return of('A server failed to handle the call', senders)
    case 603: {
      const rejected = of('The call was rejected, without a reason', senders)
      return kind === 'carrier' ? { ...rejected, next: describeStatus(603).advice } : rejected
    }
  }
  return undefined
}

const blockedByFilter: Meaning = {
  side: 'network',
  title: 'A filter in a network blocked the call',
  next: describeStatus(608).advice,
}

/** Returns what a final status of an outbound call means. */
const explainOutbound = (call: Call, status: number): Meaning => {
  const { name, side, kind } = describeDestination(call)
  const at = (title: string, next = adviseAbout(status, kind)): Meaning => ({ side, title: `${name} ${title}`, next })
  switch (status) {
    case 401:
    case 407:
      return at(
        'received no valid credentials',
        kind === 'carrier' ? 'Check the username, the password, and the realm of the carrier.' : undefined,
      )
    case 402:
      return at('requires payment')
    case 403:
      return at('did not allow the call')
    case 404:
    case 410:
    case 484:
    case 604:
      return at('does not know the called number')
    case 408:
      return {
        side,
        title: 'The call timed out before it was answered',
        next: `${name} did not respond, or responded with this status. ${openMessages}`,
      }
    case 415:
    case 606:
      return at('rejected the offered media')
    case 486:
    case 600:
      return { ...at('responded that the called party is busy'), side: 'called-party' }
    case 607:
      return { ...at('responded that the called side marked the caller as unwanted'), side: 'called-party' }
    case 608:
      return { ...blockedByFilter, next: adviseAbout(status, kind) }
    case 487:
      return {
        side: 'caller',
        title: 'The call was canceled before it was answered',
        next: 'The caller gave up, or the application did, for example after the timeout of its dial verb. If this happens often, compare how long calls ring.',
      }
    case 503:
      return at('was not available for the call')
  }
  const ambiguous = explainAmbiguous(status, call)
  if (ambiguous !== undefined) return ambiguous
  if (status >= 500 && status < 600) return at('failed to handle the call')
  return at(`rejected the call: ${describeStatus(status).explanation}`)
}

/**
 * Returns what a final status of an inbound call means. The SBC or the application sent it to the caller, or passed on
 * the status of a party that the application dialed.
 */
const explainInbound = ({ application_sid }: Call, status: number): Meaning => {
  const unknown = (title: string, next: string): Meaning => ({ side: 'unknown', title, next })
  switch (status) {
    case 401:
    case 407:
      return {
        side: 'caller',
        title: 'The caller sent no valid credentials',
        next: 'Check the username, the password, and the realm in the SIP client.',
      }
    case 403:
      return unknown(
        'The call was not allowed',
        'The platform or the application can have sent this status. Check that the account is active, that the gateway of the carrier allows inbound calls, and whether the application declines the call.',
      )
    case 404:
      return application_sid === null
        ? {
            side: 'platform',
            title: 'No application was found for the called number',
            next: 'Run the inbound routing test with this number, and assign an application to it.',
          }
        : unknown(
            'The response to the caller says that the called number is not known',
            'Check whether the application declines the call, or dials a number that does not exist.',
          )
    case 415:
    case 488:
    case 606:
      return unknown(
        'The offered media were rejected',
        'Compare the offered codecs and encryption with the SDP of a call that was answered.',
      )
    case 480:
      return unknown(
        'The call was not answered by the platform or its application',
        'Check that a feature server and a media server are available, and test the webhook of the application. It must respond with verbs that answer the call.',
      )
    case 486:
    case 600:
      return unknown(
        'The response to the caller says that the called party is busy',
        'The application, or a party that it dialed, sent this status.',
      )
    case 603:
      return unknown(
        'The call was rejected, without a reason',
        'The application, or a party that it dialed, can have sent this status. Check whether the application declines the call.',
      )
    case 607:
      return unknown(
        'The response to the caller says that its calls are unwanted',
        'The application, or a party that it dialed, sent this status. Check whether the application declines the call.',
      )
    case 608:
      return {
        ...blockedByFilter,
        side: 'unknown',
        title: 'The response to the caller says that a filter blocked the call',
      }
    case 487:
      return { side: 'caller', title: 'The call was canceled before it was answered', next: describeStatus(487).advice }
    case 500:
      return application_sid === null
        ? {
            side: 'platform',
            title: 'The platform failed to handle the call',
            next: 'Check the logs of the call and of the feature servers.',
          }
        : unknown(
            'A server failed to handle the call',
            'The platform, the application, or a party that it dialed can have sent this status. Check the logs of the call and of the feature servers.',
          )
    case 503:
      return application_sid === null
        ? {
            side: 'platform',
            title: 'The platform did not accept the call',
            next: 'Check the call limits of the account and of the service provider, that the account is active, and that a feature server is available.',
          }
        : unknown(
            'The call was not accepted',
            'The platform, the application, or a party that it dialed can have sent this status. Check the call limits, that a feature server is available, and whether the application declines the call.',
          )
  }
  return unknown(
    `The call was rejected: ${describeStatus(status).explanation}`,
    'Open the SIP messages to see which component responded.',
  )
}

/** A caller who hangs up before the answer, as the record says. */
const abandoned: Meaning = {
  side: 'caller',
  title: 'The caller hung up before the call was answered',
  next: 'If this happens often, compare how long callers wait before they hang up.',
}

const hungUpBy: ReadonlyMap<string, string> = new Map([
  ['caller hungup', 'The caller hung up.'],
  ['called party hungup', 'The called party hung up.'],
])

/** Formats seconds: `45 s`, `2 min 5 s`. */
const formatSeconds = (seconds: number): string => {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/** Describes an answered call in one line: its duration, and how it ended, or who hung up if the record says so. */
export const describeAnswered = ({ duration, termination_reason }: Call, ending?: string): string =>
  [`Answered, ${formatSeconds(duration)}.`, ending ?? hungUpBy.get(termination_reason ?? '')].filter(Boolean).join(' ')

/** Explains a call that was not answered by its record alone. */
export const explainRecord = (call: Call): CallEvidence => {
  const status = call.sip_status ?? 0
  const base = { source: 'record', isProblem: false } as const
  if (status < 300 && call.termination_reason !== 'caller abandoned')
    return {
      ...base,
      side: 'unknown',
      title:
        status === 0
          ? 'The call was not answered, and its record has no SIP status.'
          : `The call was not answered, although its record has the status ${formatStatus(status)}.`,
      next: 'Open the SIP messages to see where the call ended.',
      strength: strengths.record,
    }
  const isAbandoned = status < 300
  const isOrdinary = isAbandoned || isOrdinaryStatus(status)
  const { title, ...meaning } = isAbandoned
    ? abandoned
    : isOutbound(call)
      ? explainOutbound(call, status)
      : explainInbound(call, status)
  return {
    ...base,
    ...meaning,
    title: isAbandoned ? `${title}.` : `${title} (${formatStatus(status)}).`,
    isOrdinary,
    strength: isOrdinary ? strengths.recordedOrdinary : strengths.record,
  }
}
