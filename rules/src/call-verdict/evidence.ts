import type { Call } from '@patchbay/contract/recent-calls'
import type { BlockContact } from '../sip/network-block.ts'
import { describeStatus } from '../sip/statuses.ts'

/** Evidence about the course of a call, from its record, trace, log lines, captured SIP, and alerts. */

/** The party that has to act if the call failed. */
export type CallSide =
  | 'caller'
  | 'called-party'
  | 'carrier'
  | 'network'
  | 'platform'
  | 'application'
  | 'speech-vendor'
  | 'model-vendor'
  | 'unknown'

export const sideLabels: Readonly<Record<CallSide, string>> = {
  caller: 'Caller',
  'called-party': 'Called party',
  carrier: 'Carrier',
  network: 'Network',
  platform: 'Platform',
  application: 'Application webhook',
  'speech-vendor': 'Speech vendor',
  'model-vendor': 'Language model vendor',
  unknown: 'Side unknown',
}

export type EvidenceSource = 'record' | 'trace' | 'logs' | 'sip' | 'alerts'

export interface CallEvidence {
  source: EvidenceSource
  side: CallSide
  /** Says in one sentence what happened. */
  title: string
  /** The words of the source, such as the message of an alert. */
  detail?: string | undefined
  /** Says what to do about it. */
  next?: string | undefined
  /** True if an answered call had a problem because of it. */
  isProblem: boolean
  /** True if nothing is broken: the called party was busy or does not want the call, or the call was canceled. */
  isOrdinary?: boolean
  /** States how an answered call ended, instead of who hung up. */
  ending?: string
  /** Contacts for objections, if a network blocked the call. `detail` contains them too. */
  contacts?: readonly BlockContact[]
  /** Larger numbers explain more directly that a call was not answered. */
  strength: number
  /** The type of an alert. */
  alert_type?: string
}

/**
 * Strengths of evidence. The record alone explains an ordinary end without an answer. Otherwise, an alert or a span of the
 * webhook that had to answer the call is the cause, and the SIP response is its effect.
 */
export const strengths = {
  provenCause: 100,
  provenOrdinary: 98,
  recordedOrdinary: 95,
  callAlert: 90,
  webhookSpan: 85,
  sipError: 80,
  span: 60,
  accountAlert: 50,
  sipWarning: 45,
  record: 40,
  log: 30,
  context: 10,
} as const

/** Returns whether a call is outbound: the platform sent it to a carrier or to a SIP client. */
export const isOutbound = ({ direction }: Pick<Call, 'direction'>): boolean => direction === 'outbound'

/**
 * Returns whether a final status is an ordinary end without an answer. 480 is not, because it can have technical reasons,
 * and 603 is not, because networks, filters, and platforms send it too.
 */
export const isOrdinaryStatus = (status: number): boolean => status !== 480 && describeStatus(status).isDelivered

/** Statuses of outbound calls that the SBC sends itself too: without a media server, route, or usable gateway. */
const ambiguousStatuses = new Set([480, 487, 488, 500, 603])

/** Returns whether the status of an outbound call does not tell if the destination or the SBC sent it. */
export const isAmbiguousStatus = (status: number): boolean => ambiguousStatuses.has(status)

/**
 * Returns the end of a call in milliseconds since the Unix epoch, or its attempt if the end is unknown. The jambonz
 * server returns 1970 for an unknown end.
 */
export const getEnd = ({ attempted_at, terminated_at }: Pick<Call, 'attempted_at' | 'terminated_at'>): number =>
  Math.max(Date.parse(attempted_at), Date.parse(terminated_at ?? attempted_at))
