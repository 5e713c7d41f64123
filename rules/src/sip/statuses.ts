/**
 * The final status codes of SIP (IANA registry "SIP Response Codes"): what each means, who can have caused it, and what
 * to do. A status has a complete meaning only together with the hop that sent it (`refusal.ts`). Pure.
 */

/**
 * The party that can have caused a status. `carrier` is a carrier or a proxy between the platform and the called party,
 * `network` a network behind the carrier, and `platform` the SBC, the application, or their configuration.
 */
export type StatusSide = 'caller' | 'called-party' | 'network' | 'carrier' | 'platform'

export interface SipStatus {
  /** Undefined for an unregistered status. */
  phrase: string | undefined
  /** Continues a sentence about the host that sent the status. */
  explanation: string
  /** The parties that can have caused it, most likely first. Empty if the status names no cause. */
  sides: readonly StatusSide[]
  /** Says what to do. One or two sentences. */
  advice: string
  /** RFC and section, or the name of another standard. */
  source: string
  /**
   * True if the network did its part, although the call was not answered: the called party was busy, did not answer, or
   * does not want the call, or the caller gave up (ITU-T E.425). A person did not necessarily decide.
   */
  isDelivered: boolean
}

type Row = readonly [
  phrase: string,
  source: string,
  sides: readonly StatusSide[],
  explanation: string,
  advice: string,
  delivered?: 'delivered',
]

const p = 'called-party'
const n = 'network'
const i = 'carrier'
const o = 'platform'
const c = 'caller'

const readResponse = 'Read the reason phrase and the Warning header of the response.'
const compareFormats = 'Compare the request with one that it accepts: header fields, number format, and body.'
const checkNumber = 'Check the number, and the format that the carrier expects, such as a leading + or a tech prefix.'
const compareMedia = 'Compare the offered codecs and encryption with what it supports.'
const askSigner = 'Ask the provider that signs your calls, and send it the Call-ID and the time.'
const askCarrier = 'If this happens again, send the Call-ID and the time to the carrier.'
const checkTransfers = 'Check how the device that asked for the transfer creates its request.'
const checkLoop = 'Check that the routing of the platform and of the carrier do not send the number to each other.'
const checkEmergency = 'Check the location and the alert that the request of the emergency call contains.'

const rfc3261 = (section: string): string => `RFC 3261 §${section}`

const registered: Readonly<Record<number, Row>> = {
  200: ['OK', rfc3261('21.2.1'), [], 'it accepted the request', 'Nothing has to be done.'],
  202: [
    'Accepted',
    'RFC 6665 §8.3.1',
    [],
    'it accepted the request and will report its result later',
    'Nothing has to be done.',
  ],
  204: ['No Notification', 'RFC 5839 §7.1', [], 'it accepted the request and has no news', 'Nothing has to be done.'],
  300: [
    'Multiple Choices',
    rfc3261('21.3.1'),
    [n, i],
    'the call is redirected to one of several addresses',
    'Route the number to one of the addresses in its Contact headers.',
  ],
  301: [
    'Moved Permanently',
    rfc3261('21.3.2'),
    [n, i],
    'the call is redirected to another address, permanently',
    'Use the address in its Contact header from now on.',
  ],
  302: [
    'Moved Temporarily',
    rfc3261('21.3.3'),
    [n, i],
    'the call is redirected to another address',
    'Check that the caller follows the redirection to the address in its Contact header.',
  ],
  305: [
    'Use Proxy',
    rfc3261('21.3.4'),
    [i],
    'it has to be reached through the proxy that it names',
    'Send the calls to the proxy in its Contact header.',
  ],
  380: [
    'Alternative Service',
    rfc3261('21.3.5'),
    [n],
    'it offers another service instead, such as an emergency call',
    'Read the body of the response: it describes the service.',
  ],
  400: [
    'Bad Request',
    rfc3261('21.4.1'),
    [o, i],
    'it could not parse the request',
    `${readResponse} ${compareFormats}`,
  ],
  401: [
    'Unauthorized',
    rfc3261('21.4.2'),
    [o, c],
    'it asks for credentials',
    'Check the username, the password, and the realm.',
  ],
  402: ['Payment Required', rfc3261('21.4.3'), [i], 'it requires payment', 'Check your balance at the carrier.'],
  403: [
    'Forbidden',
    rfc3261('21.4.4'),
    [i, n, o],
    'it does not allow the request, even with credentials',
    'Check that the carrier allows your SIP addresses, the calling number, and this destination, and that your account is active.',
  ],
  404: ['Not Found', rfc3261('21.4.5'), [i, n], 'it does not know this number or name', checkNumber],
  405: [
    'Method Not Allowed',
    rfc3261('21.4.6'),
    [i],
    'it does not allow this method here',
    'Compare the method with its Allow header.',
  ],
  406: [
    'Not Acceptable',
    rfc3261('21.4.7'),
    [i],
    'it cannot produce an acceptable response',
    'Compare the Accept headers of the request with those of a request that it accepts.',
  ],
  407: [
    'Proxy Authentication Required',
    rfc3261('21.4.8'),
    [o, c],
    'it asks for credentials',
    'Check the username, the password, and the realm.',
  ],
  408: [
    'Request Timeout',
    rfc3261('21.4.9'),
    [i, n],
    'it could not find or reach the called party in time',
    'Check the gateways of the carrier, and send it an OPTIONS request.',
  ],
  410: [
    'Gone',
    rfc3261('21.4.10'),
    [i, n],
    'the number or name no longer exists',
    'Remove the number from your lists, or ask for the new one.',
  ],
  412: [
    'Conditional Request Failed',
    'RFC 3903 §11.2.1',
    [],
    'it does not know the published state that was to be refreshed',
    'Nothing has to be done: the client publishes its state again.',
  ],
  413: [
    'Request Entity Too Large',
    rfc3261('21.4.11'),
    [i],
    'the body is larger than it accepts',
    'Offer fewer codecs, or send a smaller body.',
  ],
  414: [
    'Request-URI Too Long',
    rfc3261('21.4.12'),
    [i],
    'the address is longer than it accepts',
    'Remove parameters from the Request-URI.',
  ],
  415: [
    'Unsupported Media Type',
    rfc3261('21.4.13'),
    [i],
    'it does not know this type of body',
    'Compare the Content-Type of the request with its Accept header.',
  ],
  416: [
    'Unsupported URI Scheme',
    rfc3261('21.4.14'),
    [i],
    'it does not know this kind of address',
    'Use a sip: address instead of tel: or sips:.',
  ],
  417: [
    'Unknown Resource-Priority',
    'RFC 4412 §4.6.2',
    [n],
    'it does not know the priority that the request asks for',
    'Remove the Resource-Priority header.',
  ],
  420: [
    'Bad Extension',
    rfc3261('21.4.15'),
    [i],
    'it does not know an extension that is required',
    'Compare the Require header of the request with its Unsupported header.',
  ],
  421: [
    'Extension Required',
    rfc3261('21.4.16'),
    [i],
    'it requires an extension that the client does not support',
    'Its Require header names the extension.',
  ],
  422: [
    'Session Interval Too Small',
    'RFC 4028 §6',
    [i],
    'the interval of the session timer is too short',
    'Request an interval of at least the Min-SE header of the response, or turn off session timers.',
  ],
  423: [
    'Interval Too Brief',
    rfc3261('21.4.17'),
    [i],
    'the expiration time is too short',
    'Request an expiration time of at least the Min-Expires header of the response.',
  ],
  424: [
    'Bad Location Information',
    'RFC 6442 §4.3',
    [n],
    'it cannot use the location of the caller that the request contains',
    checkEmergency,
  ],
  425: [
    'Bad Alert Message',
    'RFC 8876 §5.1',
    [n],
    'it cannot process the alert that the request contains',
    checkEmergency,
  ],
  428: [
    'Use Identity Header',
    'RFC 8224 §6.2.2',
    [n, i],
    'it requires a signed calling number',
    'Arrange STIR/SHAKEN signing with the carrier.',
  ],
  429: [
    'Provide Referrer Identity',
    'RFC 3892 §5',
    [p],
    'it requires the identity of the party that transfers the call',
    checkTransfers,
  ],
  430: [
    'Flow Failed',
    'RFC 5626 §11.5',
    [i],
    'its connection to the client no longer exists',
    'The client has to register again. Check its registration interval and its NAT keepalive.',
  ],
  433: [
    'Anonymity Disallowed',
    'RFC 5079 §5',
    [p, n],
    'it does not accept calls without a calling number',
    'Present a calling number.',
  ],
  436: [
    'Bad Identity Info',
    'RFC 8224 §6.2.2',
    [n, i],
    'it could not retrieve the certificate of the signed calling number',
    askSigner,
  ],
  437: [
    'Unsupported Credential',
    'RFC 8224 §6.2.2',
    [n, i],
    'it does not trust or support the certificate of the signed calling number',
    askSigner,
  ],
  438: [
    'Invalid Identity Header',
    'RFC 8224 §6.2.2',
    [n, i],
    'the signature of the calling number does not fit the request',
    `Often a number was changed after signing: a prefix, a +, or a diversion. ${askSigner}`,
  ],
  439: [
    'First Hop Lacks Outbound Support',
    'RFC 5626 §11.6',
    [i],
    'the first proxy does not support connections that clients keep open',
    'Turn off SIP outbound in the client, or use a proxy that supports it.',
  ],
  440: ['Max-Breadth Exceeded', 'RFC 5393 §5', [i], 'the request was forked to too many destinations', checkLoop],
  469: [
    'Bad Info Package',
    'RFC 6086 §4.2.2',
    [p],
    'it did not agree to receive this kind of INFO request',
    'Compare the Info-Package header with its Recv-Info header.',
  ],
  470: [
    'Consent Needed',
    'RFC 5360 §5.9.2',
    [p],
    'the called party has not permitted such requests',
    'The called party has to give its consent first.',
  ],
  480: [
    'Temporarily Unavailable',
    rfc3261('21.4.18'),
    [p, n, o],
    'the called party cannot be reached now',
    'It did not answer, is not registered, or there was no route. If this happens often, compare the answer rates of your carriers for this destination.',
    'delivered',
  ],
  481: [
    'Call/Transaction Does Not Exist',
    rfc3261('21.4.19'),
    [],
    'it does not know this call',
    'At the end of a call this is harmless. During a call, one side has lost the call: send the Call-ID to the carrier.',
  ],
  482: ['Loop Detected', rfc3261('21.4.20'), [i, o], 'the request looped back to it', checkLoop],
  483: ['Too Many Hops', rfc3261('21.4.21'), [i, o], 'the request passed too many hops', checkLoop],
  484: ['Address Incomplete', rfc3261('21.4.22'), [o, i], 'the number is not complete', checkNumber],
  485: ['Ambiguous', rfc3261('21.4.23'), [o, i], 'the address could be one of several', checkNumber],
  486: [
    'Busy Here',
    rfc3261('21.4.24'),
    [p, n],
    'the called party is busy',
    'If this happens often at one carrier, ask it whether all of its channels were in use.',
    'delivered',
  ],
  487: [
    'Request Terminated',
    rfc3261('21.4.25'),
    [c],
    'the request was canceled',
    'If this happens often, compare how long callers wait before they give up.',
    'delivered',
  ],
  488: [
    'Not Acceptable Here',
    rfc3261('21.4.26'),
    [p, i],
    'it did not accept the media that were offered',
    compareMedia,
  ],
  489: [
    'Bad Event',
    'RFC 6665 §8.3.2',
    [i],
    'it does not know the event package',
    'This is harmless for calls. Turn off the subscription in the client.',
  ],
  491: [
    'Request Pending',
    rfc3261('21.4.27'),
    [],
    'it has a pending request of its own',
    'Send the request again after a short time. If this happens often, look for the Call-ID in the logs of both sides.',
  ],
  493: [
    'Undecipherable',
    rfc3261('21.4.28'),
    [i],
    'it could not decrypt the body',
    'Turn off S/MIME, or exchange the certificates.',
  ],
  494: [
    'Security Agreement Required',
    'RFC 3329 §2.3.1',
    [i],
    'it requires an agreement about the security of the connection',
    'Its Security-Server header names what it supports.',
  ],
  500: ['Server Internal Error', rfc3261('21.5.1'), [i, n, o], 'it had an internal error', askCarrier],
  501: [
    'Not Implemented',
    rfc3261('21.5.2'),
    [i, n],
    'it does not know the method',
    'Compare the method with its Allow header.',
  ],
  502: ['Bad Gateway', rfc3261('21.5.3'), [i, n], 'an upstream server returned an invalid response', askCarrier],
  503: [
    'Service Unavailable',
    rfc3261('21.5.4'),
    [i, o],
    'it is overloaded, in maintenance, or has no route to the called party',
    'Check its channel limit, or add another carrier for this destination to the outbound routing.',
  ],
  504: ['Server Time-out', rfc3261('21.5.5'), [i], 'an upstream server did not respond in time', askCarrier],
  505: ['Version Not Supported', rfc3261('21.5.6'), [i], 'it does not know this version of SIP', readResponse],
  513: [
    'Message Too Large',
    rfc3261('21.5.7'),
    [i],
    'the message is too long for it',
    'Offer fewer codecs, or send fewer headers.',
  ],
  555: [
    'Push Notification Service Not Supported',
    'RFC 8599 §8.1',
    [i],
    'it does not support the push notification service of the client',
    'Retrying cannot help: change the push settings of the client.',
  ],
  580: [
    'Precondition Failure',
    'RFC 3312 §8',
    [p],
    'it cannot reserve the resources that the offered media require',
    'Remove the preconditions from the offered media.',
  ],
  600: [
    'Busy Everywhere',
    rfc3261('21.6.1'),
    [p],
    'the called party is busy everywhere',
    'If this happens often at one carrier, ask it whether all of its channels were in use.',
    'delivered',
  ],
  603: [
    'Decline',
    rfc3261('21.6.2'),
    [p, n, i, o],
    'the status alone does not say who rejected the request, or why',
    'A person, a network, a filter, or your own platform without a usable carrier can have sent this status. Open the SIP messages to see which.',
  ],
  604: [
    'Does Not Exist Anywhere',
    rfc3261('21.6.3'),
    [n],
    'the called party does not exist anywhere',
    `${checkNumber} Some networks also block calls with this status.`,
  ],
  606: ['Not Acceptable', rfc3261('21.6.4'), [p, i], 'it did not accept the media that were offered', compareMedia],
  607: [
    'Unwanted',
    'RFC 8197 §4',
    [p],
    'the called side marked the caller as unwanted',
    'Do not call this number again. Check who calls with this calling number, and how often.',
    'delivered',
  ],
  608: [
    'Rejected',
    'RFC 8688 §3',
    [i, n],
    'a filter in a network blocked the call, and the called device never rang',
    'Do not call again immediately, and do not switch the carrier to get around the filter. Check the attestation of the calling number, and how many short calls it makes.',
  ],
}

/** Meanings of unregistered statuses, by their first digit: a client treats them as x00 (RFC 3261 §8.1.3.2). */
const classes: Readonly<Record<number, string>> = {
  3: 'the call is redirected to another address',
  4: 'a failure of the request of an unknown kind',
  5: 'a failure of the server of an unknown kind',
  6: 'a failure of all destinations of an unknown kind',
}

/** Returns what a final status means. An unregistered status is treated as x00, and its explanation says so. */
export const describeStatus = (status: number): SipStatus => {
  const row = registered[status]
  if (row !== undefined) {
    const [phrase, source, sides, explanation, advice, delivered] = row
    return { phrase, source, sides, explanation, advice, isDelivered: delivered !== undefined }
  }
  const hundreds = Math.floor(status / 100) * 100
  const general = classes[hundreds / 100] ?? 'an outcome of an unknown kind'
  const treated = hundreds >= 300 && hundreds < 700 ? ` and is treated as ${hundreds}` : ''
  return {
    phrase: undefined,
    source: 'RFC 3261 §8.1.3.2',
    sides: [],
    explanation: `${general}: ${status} is not a registered status${treated}`,
    advice: 'Ask the operator of the host that sent this status what it means.',
    isDelivered: false,
  }
}

/**
 * Returns whether the status alone proves that a filter or the called side blocked the call. 603 Network Blocked is such a
 * status as well, but only its phrase and its Reason header distinguish it from other refusals.
 */
export const isBlockedStatus = (status: number): boolean => status === 607 || status === 608

/** Returns the reason phrase such as "Busy Here", or undefined for unregistered status codes. */
export const sipStatusName = (status: number): string | undefined => registered[status]?.[0]

/** Formats a SIP status with its reason phrase: `486 Busy Here`. */
export const formatStatus = (status: number): string => [status, sipStatusName(status)].filter(Boolean).join(' ')

/** The registered final statuses, in ascending order. */
export const registeredStatuses: readonly number[] = Object.keys(registered).map(Number)
