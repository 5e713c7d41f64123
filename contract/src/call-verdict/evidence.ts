import { describeStatus } from '../sip/status-meanings.ts'
import { sipStatusName } from '../sip/reason-phrases.ts'
import type { Call } from '../recent-calls.ts'

/** Evidence about the course of a call, from its record, trace, log lines, captured SIP, and alerts. */

/** The party that has to act if the call failed. */
export type CallSide =
  | 'caller'
  | 'called-party'
  | 'carrier'
  | 'platform'
  | 'application'
  | 'speech-vendor'
  | 'model-vendor'
  | 'unknown'

export const sideLabels: Readonly<Record<CallSide, string>> = {
  caller: 'Caller',
  'called-party': 'Called party',
  carrier: 'Carrier',
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
  /** True if a person ended the call before it was answered, so that nothing is broken. */
  isChoice?: boolean
  /** Larger numbers explain more directly that a call was not answered. */
  strength: number
  /** The type of an alert. */
  alert_type?: string
}

/**
 * Strengths of evidence. The record alone explains a call that a person ended. Otherwise, an alert or a span of the
 * webhook that had to answer the call is the cause, and the SIP response is its effect.
 */
export const strengths = {
  provenCause: 100,
  provenChoice: 98,
  recordedChoice: 95,
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

/** Returns whether a call is outbound: a carrier or a SIP client sent its final status. */
export const isOutbound = ({ direction }: Pick<Call, 'direction'>): boolean => direction === 'outbound'

/** Formats a SIP status with its reason phrase: `486 Busy Here`. */
export const formatStatus = (status: number): string => [status, sipStatusName(status)].filter(Boolean).join(' ')

/** Returns whether a person caused the final status, so that nothing is broken. 480 can have technical reasons too. */
export const isPersonsChoice = (status: number): boolean =>
  status !== 480 && status >= 400 && describeStatus(status).isChoice === true

/**
 * Returns the end of a call in milliseconds since the Unix epoch, or its attempt if the end is unknown. The jambonz
 * server returns 1970 for an unknown end.
 */
export const getEnd = ({ attempted_at, terminated_at }: Pick<Call, 'attempted_at' | 'terminated_at'>): number =>
  Math.max(Date.parse(attempted_at), Date.parse(terminated_at ?? attempted_at))
