import type { Call } from '../recent-calls.ts'
import { describeStatus } from '../sip/status-meanings.ts'
import { type CallEvidence, type CallSide, formatStatus, isOutbound, isPersonsChoice, strengths } from './evidence.ts'

/** Rules for the call record alone: final SIP status, direction, and termination reason. Pure. */

interface Meaning {
  side: CallSide
  /** Says what happened, without the status. */
  title: string
  next: string
}

const nothingToRepair = 'No action is necessary.'

/** Returns the party that an outbound call was sent to. */
const describeDestination = ({ trunk }: Call): { name: string; side: CallSide } => {
  if (trunk === 'user') return { name: 'The SIP client', side: 'called-party' }
  if (trunk === 'sipUri') return { name: 'The SIP URI', side: 'called-party' }
  if (trunk === 'Microsoft Teams') return { name: trunk, side: 'carrier' }
  return { name: trunk && trunk !== 'undefined' ? `Carrier ${trunk}` : 'The carrier', side: 'carrier' }
}

/** Returns what a final status of an outbound call means. The destination sent it. */
const explainOutbound = (call: Call, status: number): Meaning => {
  const { name, side } = describeDestination(call)
  const at = (title: string, next: string): Meaning => ({ side, title: `${name} ${title}`, next })
  const byPerson = (title: string): Meaning => ({ side: 'called-party', title, next: nothingToRepair })
  switch (status) {
    case 401:
    case 407:
      return at('rejected the credentials', 'Check the username, the password, and the realm of the carrier.')
    case 402:
      return at('requires payment', 'Check your balance at the carrier.')
    case 403:
      return at(
        'did not allow the call',
        'Check that the carrier allows your SIP addresses, the calling number, and this destination.',
      )
    case 404:
    case 410:
    case 484:
    case 604:
      return at(
        'does not know the called number',
        'Check the number, and the format that the carrier expects, such as a leading + or a tech prefix.',
      )
    case 408:
      return at('did not respond in time', 'Check the gateways of the carrier, and send it an OPTIONS request.')
    case 415:
    case 488:
    case 606:
      return at('rejected the offered media', 'Compare the offered codecs and encryption with what it supports.')
    case 480:
      return {
        side: 'called-party',
        title: 'The called party could not be reached',
        next: 'If this happens often, compare the answer rates of your carriers for this destination.',
      }
    case 486:
    case 600:
      return byPerson('The called party was busy')
    case 603:
    case 607:
    case 608:
      return byPerson('The called party declined the call')
    case 487:
      return { side: 'caller', title: 'The call was canceled before the called party answered', next: nothingToRepair }
    case 503:
      return at(
        'had no capacity or no route for the call',
        'Check its channel limit, or add another carrier for this destination to the outbound routing.',
      )
  }
  if (status >= 500) return at('failed to handle the call', 'If this happens again, send the Call-ID to the carrier.')
  return at(
    `rejected the call: ${describeStatus(status).explanation}`,
    'Open the SIP messages for the complete response.',
  )
}

/** Returns what a final status of an inbound call means. The platform sent it to the caller. */
const explainInbound = (status: number): Meaning => {
  switch (status) {
    case 401:
    case 407:
      return {
        side: 'caller',
        title: 'The caller sent no valid credentials',
        next: 'Check the username, the password, and the realm in the SIP client.',
      }
    case 403:
      return {
        side: 'platform',
        title: 'The platform did not allow the call',
        next: 'Check that the account is active, and that the gateway of the carrier allows inbound calls.',
      }
    case 404:
      return {
        side: 'platform',
        title: 'No application was found for the called number',
        next: 'Run the inbound routing test with this number, and assign an application to it.',
      }
    case 415:
    case 488:
    case 606:
      return {
        side: 'caller',
        title: 'The caller offered no media that the platform supports',
        next: 'Compare the offered codecs and encryption with the SDP of a call that was answered.',
      }
    case 480:
      return {
        side: 'application',
        title: 'The application did not answer the call',
        next: 'Test the webhook of the application. It must respond with verbs that answer the call.',
      }
    case 486:
    case 600:
      return { side: 'called-party', title: 'The called party was busy', next: nothingToRepair }
    case 603:
    case 607:
    case 608:
      return { side: 'called-party', title: 'The call was declined', next: nothingToRepair }
    case 487:
      return { side: 'caller', title: 'The caller hung up before the call was answered', next: nothingToRepair }
    case 503:
      return {
        side: 'platform',
        title: 'The platform had no capacity for the call',
        next: 'Check the call limits of the account and of the service provider, and whether a feature server is available.',
      }
  }
  if (status >= 500)
    return {
      side: 'platform',
      title: 'The platform failed to handle the call',
      next: 'Check the logs of the call and of the feature servers.',
    }
  return {
    side: 'unknown',
    title: `The call was rejected: ${describeStatus(status).explanation}`,
    next: 'Open the SIP messages to see which component responded.',
  }
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

/** Describes an answered call in one line: its duration, and who hung up if the record says so. */
export const describeAnswered = ({ duration, termination_reason }: Call): string =>
  [`Answered, ${formatSeconds(duration)}.`, hungUpBy.get(termination_reason ?? '')].filter(Boolean).join(' ')

/** Explains a call that was not answered by its record alone. */
export const explainRecord = (call: Call): CallEvidence => {
  const status = call.sip_status ?? 0
  const base = { source: 'record', isProblem: false } as const
  if (status < 300 && call.termination_reason !== 'caller abandoned')
    return {
      ...base,
      side: 'unknown',
      title: 'The call was not answered, and its record has no SIP status.',
      next: 'Open the SIP messages to see where the call ended.',
      strength: strengths.record,
    }
  const finalStatus = status < 300 ? 487 : status
  const isChoice = isPersonsChoice(finalStatus)
  const { title, ...meaning } = isOutbound(call) ? explainOutbound(call, finalStatus) : explainInbound(finalStatus)
  return {
    ...base,
    ...meaning,
    title: status < 300 ? `${title}.` : `${title} (${formatStatus(status)}).`,
    isChoice,
    strength: isChoice ? strengths.recordedChoice : strengths.record,
  }
}
