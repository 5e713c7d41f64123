import type { PhoneFailure } from './phone-failure.ts'

/** The end of a session, as JsSIP reports it. */

/** The parts of a response that are read. */
export interface SipResponse {
  status_code?: number
  reason_phrase?: string
  getHeader(name: string): string | undefined
}

export interface SessionEnd {
  originator: string
  /** A text of `JsSIP.C.causes`. */
  cause: string
  message: SipResponse | null | undefined
}

/** Returns why a session failed, or undefined if one of both sides has hung up. */
export const findFailure = ({ originator, cause, message }: SessionEnd, url: string): PhoneFailure | undefined => {
  const status = message?.status_code
  if (originator === 'remote' && status !== undefined && status >= 300)
    return {
      kind: 'rejected',
      status,
      reason: message?.reason_phrase ?? '',
      // The platform's own explanation.
      detail: message?.getHeader('X-Reason') || undefined,
    }
  switch (cause) {
    case 'Terminated':
    case 'Canceled':
      return undefined
    case 'Request Timeout':
      return { kind: 'no-response', url }
    case 'Connection Error':
      return { kind: 'disconnected', url, code: undefined, reason: '' }
    case 'No Answer':
      return { kind: 'no-answer' }
    case 'RTP Timeout':
      return { kind: 'no-media' }
    default:
      return { kind: 'other', cause }
  }
}
