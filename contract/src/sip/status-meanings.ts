import { scanParameter } from './scan.ts'
import { headersNamed, type ParsedSipMessage } from './parser.ts'

/** Explains SIP status codes and Q.850 causes in words. Pure. */

interface Meaning {
  explanation: string
  /** Section of RFC 3261. */
  section: string
  /** True if a person caused the status, so that nothing is broken. */
  isChoice?: true
}

/** RFC 3261 §21.4 to §21.6 */
const meanings: Readonly<Record<number, Meaning>> = {
  400: { explanation: 'it could not parse the request', section: '21.4.1' },
  401: { explanation: 'it asks for credentials', section: '21.4.2' },
  402: { explanation: 'it requires payment', section: '21.4.3' },
  403: { explanation: 'it does not allow the request, even with credentials', section: '21.4.4' },
  404: { explanation: 'it does not know this number or name', section: '21.4.5' },
  405: { explanation: 'it does not allow this method here', section: '21.4.6' },
  406: { explanation: 'it cannot produce an acceptable response', section: '21.4.7' },
  407: { explanation: 'it asks for credentials', section: '21.4.8' },
  408: {
    explanation: 'it could not find or reach the called party in time',
    section: '21.4.9',
  },
  410: { explanation: 'the number or name no longer exists', section: '21.4.10' },
  413: { explanation: 'the body is larger than it accepts', section: '21.4.11' },
  415: { explanation: 'it does not know this type of body', section: '21.4.13' },
  416: { explanation: 'it does not know this kind of address', section: '21.4.14' },
  420: { explanation: 'it does not know an extension that is required', section: '21.4.15' },
  421: { explanation: 'it requires an extension that the client does not support', section: '21.4.16' },
  423: { explanation: 'the expiration time is too short', section: '21.4.17' },
  480: { explanation: 'the called party cannot be reached now', section: '21.4.18', isChoice: true },
  481: { explanation: 'it does not know this call', section: '21.4.19' },
  482: { explanation: 'the request looped back to it', section: '21.4.20' },
  483: { explanation: 'the request passed too many hops', section: '21.4.21' },
  484: { explanation: 'the number is not complete', section: '21.4.22' },
  485: { explanation: 'the address could be one of several', section: '21.4.23' },
  486: { explanation: 'the called party is busy', section: '21.4.24', isChoice: true },
  487: { explanation: 'the request was canceled', section: '21.4.25', isChoice: true },
  488: { explanation: 'it cannot do the media that were offered', section: '21.4.26' },
  491: { explanation: 'it has a pending request of its own', section: '21.4.27' },
  493: { explanation: 'it could not decrypt the body', section: '21.4.28' },
  500: { explanation: 'it had an internal error', section: '21.5.1' },
  501: { explanation: 'it does not know the method', section: '21.5.2' },
  502: { explanation: 'an upstream server returned an invalid response', section: '21.5.3' },
  503: { explanation: 'it is overloaded, in maintenance, or has no route to the called party', section: '21.5.4' },
  504: { explanation: 'an upstream server did not respond in time', section: '21.5.5' },
  505: { explanation: 'it does not know this version of SIP', section: '21.5.6' },
  513: { explanation: 'the message is too long for it', section: '21.5.7' },
  600: { explanation: 'the called party is busy everywhere', section: '21.6.1', isChoice: true },
  603: { explanation: 'the called party declined', section: '21.6.2', isChoice: true },
  604: { explanation: 'the called party does not exist anywhere', section: '21.6.3' },
  606: { explanation: 'it cannot do the media that were offered', section: '21.6.4' },
}

/** Returns what a final status code means, and the section of RFC 3261 that defines it. */
export const describeStatus = (status: number): Meaning => {
  const meaning = meanings[status]
  if (meaning !== undefined) return meaning
  if (status < 400) return { explanation: 'the call is redirected to another address', section: '21.3' }
  const [kind, section] =
    status < 500 ? ['the request', '21.4'] : status < 600 ? ['the server', '21.5'] : ['all', '21.6']
  return { explanation: `a failure of ${kind} of an unknown kind`, section }
}

/** ITU-T Q.850 §2.2 */
const causes: ReadonlyMap<string, string> = new Map([
  ['1', 'unallocated number'],
  ['16', 'normal call clearing'],
  ['17', 'user busy'],
  ['18', 'no user responding'],
  ['19', 'no answer from user'],
  ['20', 'subscriber absent'],
  ['21', 'call rejected'],
  ['22', 'number changed'],
  ['27', 'destination out of order'],
  ['28', 'invalid number format'],
  ['31', 'normal, unspecified'],
  ['34', 'no circuit available'],
  ['38', 'network out of order'],
  ['41', 'temporary failure'],
  ['42', 'switching equipment congestion'],
  ['47', 'resource unavailable'],
  ['65', 'bearer capability not implemented'],
  ['79', 'service not implemented'],
  ['88', 'incompatible destination'],
  ['102', 'recovery on timer expiry'],
  ['127', 'interworking, unspecified'],
])

/**
 * Formats the Reason and Warning headers of a message (RFC 3326 §2): ` Reason given: Q.850 cause 17, user busy.` Empty
 * if there are none.
 */
export const formatReasonHeaders = (message: ParsedSipMessage): string => {
  const reasons = headersNamed(message, 'reason').map((value) => {
    const protocol = value.split(';')[0]?.trim() ?? ''
    const cause = scanParameter(value, 'cause')
    const text =
      scanParameter(value, 'text') ?? (protocol.toUpperCase() === 'Q.850' ? causes.get(cause ?? '') : undefined)
    return [cause === undefined ? protocol : `${protocol} cause ${cause}`, text].filter(Boolean).join(', ')
  })
  const warnings = headersNamed(message, 'warning').flatMap((value) => /"([^"]*)"/.exec(value)?.[1] ?? [])
  return [
    ...(reasons.length === 0 ? [] : [` Reason given: ${reasons.join('; ')}.`]),
    ...(warnings.length === 0 ? [] : [` It warns: ${warnings.join('; ')}.`]),
  ].join('')
}
