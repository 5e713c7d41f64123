/** Why a call from the browser failed, and what the user can check. */

export type PhoneFailure =
  /** The WebSocket did not open. Browsers tell pages no reason. */
  | { kind: 'unreachable'; urls: readonly string[] }
  /** The WebSocket closed during the call, with this code (RFC 6455, section 7.4). */
  | { kind: 'disconnected'; url: string; code: number | undefined; reason: string }
  /** The SBC or the platform responded with this status. */
  | { kind: 'rejected'; status: number; reason: string; detail: string | undefined }
  /** The SBC did not respond to the INVITE. */
  | { kind: 'no-response'; url: string }
  /** The application did not answer in time. */
  | { kind: 'no-answer' }
  /** The call was answered, but no path for audio was found. */
  | { kind: 'no-media' }
  /** The browser could not use the media that the SBC answered with, or has failed otherwise. */
  | { kind: 'other'; cause: string }

export interface FailureText {
  title: string
  /** Names what to check. Undefined if the title is sufficient. */
  hint: string | undefined
}

/** Hints for the statuses of the SBC of jambonz. */
const statusHints: Readonly<Record<number, string>> = {
  401: 'The SBC did not accept the SIP client that Patchbay has created. Check that the SBC uses the same database and the same encryption secret as Patchbay.',
  403: 'The SBC did not accept the SIP client that Patchbay has created. Check that the SBC uses the same database and the same encryption secret as Patchbay.',
  404: 'Check that the SBC knows the SIP realm of the account.',
  480: 'Check that a feature server is running, and that the application has a calling webhook.',
  488: 'Check that rtpengine is running on the SBC, and that it supports WebRTC.',
  503: 'Check that the account is active and within its limit of calls.',
}

const checkServer =
  'Check that the SBC is running, that its port can be reached from here, and that its certificate is valid for this name.'

const quote = (text: string): string => (text === '' ? '' : `: ${text}`)

/** Returns the text for a failure. It states what the browser knows, and only suggests what may be the reason. */
export const describeFailure = (failure: PhoneFailure): FailureText => {
  switch (failure.kind) {
    case 'unreachable':
      return { title: `No connection to ${failure.urls.join(' or ')}`, hint: checkServer }
    case 'disconnected': {
      const { url, code, reason } = failure
      const closed = code === undefined ? '' : ` (code ${code}${quote(reason)})`
      return {
        title: `The connection to ${url} was closed${closed}`,
        hint: 'The call has ended. Check the log of the SBC.',
      }
    }
    case 'rejected': {
      const { status, reason, detail } = failure
      const title = `The call was rejected with ${status} ${reason}${quote(detail ?? '')}`
      return { title, hint: statusHints[status] }
    }
    case 'no-response':
      return { title: `${failure.url} did not respond to the INVITE`, hint: 'Check the log of the SBC.' }
    case 'no-answer':
      return { title: 'The application did not answer', hint: undefined }
    case 'no-media':
      return {
        title: 'No path for audio was found',
        hint: 'Check that the UDP ports of rtpengine on the SBC can be reached from here.',
      }
    case 'other':
      return { title: `The call failed: ${failure.cause}`, hint: undefined }
  }
}
