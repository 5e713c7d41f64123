import { getCodecName, getFormatParameter, haveSameH264Configuration } from '../codecs.ts'
import { isActive, isSecure, type MediaDirection, type SdpMedia } from '../sdp.ts'
import { describeParty, type SipCall } from '../transactions.ts'
import { checkAddresses, checkFamilies, checkReachability, type Violation } from './answer-addresses.ts'
import { type Agreement, findAgreements, isFax, type Stream } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about answers that their offers do not allow (RFC 3264 §6). Pure. */

const quote = (text: string): string => (text === '' ? 'no transport' : text)

const isSameProtocol = (one: SdpMedia, other: SdpMedia): boolean =>
  one.protocol.toUpperCase() === other.protocol.toUpperCase()

/**
 * Returns the same transport for names with which the packets of media are the same: with and without feedback (RFC 4585),
 * with a fingerprint but without the name of DTLS (RFC 5763 §5), and the name of data channels in drafts of RFC 8841.
 */
const toPackets = ({ protocol, keys }: SdpMedia): string => {
  const name = protocol.toUpperCase().replace(/AVPF$/, 'AVP')
  if (name === 'DTLS/SCTP') return 'UDP/DTLS/SCTP'
  return keys.hasFingerprint && name === 'RTP/SAVP' ? 'UDP/TLS/RTP/SAVP' : name
}

/** The answer repeats the transport, unless the offer lists others (RFC 3264 §6, RFC 5939). */
const checkTransport = ({ offered, answered }: Stream): Violation[] => {
  if (isSameProtocol(offered, answered) || (offered.hasCapabilities && answered.hasCapabilities)) return []
  const what = `answers ${quote(offered.protocol)} with ${quote(answered.protocol)}, but an answer has to repeat the transport of the offer`
  if (toPackets(offered) === toPackets(answered))
    return [{ severity: 'warn', text: `${what}.`, source: 'RFC 3264 §6.1, RFC 4585 §4.2' }]
  const isMixed = isSecure(offered) !== isSecure(answered)
  const why = isMixed ? 'one side encrypts and the other does not' : 'the two sides use different protocols'
  return [{ severity: 'bad', text: `${what}: ${why}, so no ${offered.kind} is understood.`, source: 'RFC 3264 §6.1' }]
}

const hasKey = ({ keys }: SdpMedia): boolean => keys.suites.length > 0 || keys.hasFingerprint || keys.hasOther

const isDtls = ({ protocol }: SdpMedia): boolean => /TLS\/RTP/i.test(protocol)

const describeKeys = ({ keys }: SdpMedia): string =>
  [keys.suites.length > 0 ? 'a=crypto' : '', keys.hasFingerprint ? 'a=fingerprint' : ''].filter(Boolean).join(' and ')

const withoutTag = (suite: string): string => suite.replace(/^\d{1,9} /, '')

/** Encrypted media requires a key of each side: RFC 4568 §5.1.2, RFC 5763 §5. */
const checkKeys = ({ offered, answered }: Stream): Violation[] => {
  if (!isSameProtocol(offered, answered)) return []
  // Some capture agents remove the keys of both sides.
  if (!hasKey(offered) && !hasKey(answered)) return []
  if (isSecure(answered) && (!hasKey(answered) || (isDtls(answered) && !answered.keys.hasFingerprint)))
    return [
      {
        severity: 'bad',
        text: `answers ${answered.protocol} without ${isDtls(answered) ? 'a fingerprint of its certificate' : 'a key (a=crypto)'}, so the ${answered.kind} cannot be decrypted.`,
        source: isDtls(answered) ? 'RFC 5763 §5' : 'RFC 4568 §5.1.2',
      },
    ]
  if (offered.keys.hasOther || answered.keys.hasOther) return []
  const [tagAndSuite] = answered.keys.suites
  const isOffered =
    (tagAndSuite !== undefined && offered.keys.suites.includes(tagAndSuite)) ||
    (answered.keys.hasFingerprint && offered.keys.hasFingerprint)
  if (!hasKey(answered) || isOffered) return []
  const isOtherTag = offered.keys.suites.some((suite) => withoutTag(suite) === withoutTag(tagAndSuite ?? ''))
  if (tagAndSuite !== undefined && offered.keys.suites.length > 0)
    return [
      {
        severity: isOtherTag ? 'warn' : 'bad',
        text: `answers with the encryption ${tagAndSuite.toUpperCase()}, but ${offered.keys.suites.join(', ').toUpperCase()} was offered.`,
        source: 'RFC 4568 §5.1.2',
      },
    ]
  return [
    {
      severity: 'bad',
      text: `answers with ${describeKeys(answered)}, but ${describeKeys(offered) || 'no key'} was offered.`,
      source: 'RFC 4568 §5.1.2, RFC 5763 §5',
    },
  ]
}

/**
 * Requires that one side begins the handshake of DTLS and the other waits for it (RFC 4145 §4.1, RFC 5763 §5). A side that
 * states no role, or leaves the choice in its answer, takes one by the rules of its program, so it proves nothing.
 */
const checkRoles = ({ offered, answered }: Stream): Violation[] => {
  const [role, other] = [offered.keys.setup, answered.keys.setup]
  if (!answered.keys.hasFingerprint || role !== other || !['active', 'passive'].includes(role)) return []
  return [
    {
      severity: 'bad',
      text: `answers a=setup:${role} with a=setup:${other}, so the keys of the ${answered.kind} are never exchanged.`,
      source: 'RFC 4145 §4.1, RFC 5763 §5',
    },
  ]
}

const answersTo: Readonly<Record<MediaDirection, readonly MediaDirection[]>> = {
  sendrecv: ['sendrecv', 'sendonly', 'recvonly', 'inactive'],
  sendonly: ['recvonly', 'inactive'],
  recvonly: ['sendonly', 'inactive'],
  inactive: ['inactive'],
}

const checkDirection = ({ offered, answered }: Stream): Violation[] =>
  answersTo[offered.direction].includes(answered.direction)
    ? []
    : [
        {
          severity: 'warn',
          text: `answers a=${offered.direction} with a=${answered.direction}, which is not compatible.`,
          source: 'RFC 3264 §6.1',
        },
      ]

/** Extensions are in the answer only if they are in the offer: RFC 5761 §5.1.1, RFC 9143 §7.3, RFC 7261 §3. */
const checkExtensions = ({ offered, answered }: Stream): Violation[] => {
  const violations: Violation[] = []
  if (answered.hasRtcpMux && !offered.hasRtcpMux)
    violations.push({
      severity: 'warn',
      text: `answers with a=rtcp-mux for ${answered.kind}, which was not offered.`,
      source: 'RFC 5761 §5.1.1',
    })
  if (answered.isBundled && !offered.isBundled)
    violations.push({
      severity: 'warn',
      text: `answers with ${answered.kind} in a bundle, which was not offered.`,
      source: 'RFC 9143 §7.3',
    })
  const find = ({ formats }: SdpMedia) => formats.find(({ codec }) => getCodecName(codec) === 'g729')
  const [g729, answeredG729] = [find(offered), find(answered)]
  if (
    g729 &&
    answeredG729 &&
    getFormatParameter(g729, 'annexb') === 'no' &&
    getFormatParameter(answeredG729, 'annexb') === 'yes'
  )
    violations.push({
      severity: 'warn',
      text: 'answers G729 with annexb=yes, but annexb=no was offered.',
      source: 'RFC 7261 §3',
    })
  return violations
}

const findH264 = ({ formats }: SdpMedia) => formats.filter(({ codec }) => getCodecName(codec) === 'h264')

const formatH264 = (media: SdpMedia): string =>
  findH264(media)
    .map(({ parameters }) => parameters || 'no parameters')
    .join(', or ')

/**
 * Requires the profile and the packetization mode of H.264 in the answer to be ones of the offer (RFC 6184 §8.2.2).
 * Gateways that omit all parameters state nothing.
 */
const checkH264 = ({ offered, answered }: Stream): Violation[] => {
  const [offers, answers] = [findH264(offered), findH264(answered)]
  if (offers.length === 0 || !answers.some(({ parameters }) => parameters !== '')) return []
  if (answers.some((one) => offers.some((other) => haveSameH264Configuration(one, other)))) return []
  return [
    {
      severity: 'warn',
      text: `answers H264 with ${formatH264(answered)}, but ${formatH264(offered)} was offered. Profile and packetization mode have to be the same, or the ${answered.kind} may not be decoded.`,
      source: 'RFC 6184 §8.2.2',
    },
  ]
}

const checkStream = (stream: Stream): Violation[] => {
  const { offered, answered } = stream
  if (!isActive(answered)) return []
  if (!isActive(offered))
    return [
      {
        severity: 'warn',
        text: `answers a stream that was not offered: ${answered.kind} with port 0 in the offer, and port ${answered.port} in the answer.`,
        source: 'RFC 3264 §6',
      },
    ]
  return [
    checkTransport,
    checkKeys,
    checkRoles,
    checkReachability,
    checkAddresses,
    checkFamilies,
    checkDirection,
    checkExtensions,
    checkH264,
  ].flatMap((check) => check(stream))
}

const formatKinds = (media: readonly SdpMedia[]): string => media.map(({ kind }) => kind).join(', ')

const checkAnswer = ({ offer, answer, streams }: Agreement): Violation[] => {
  const violations: Violation[] = []
  if (answer.media.length !== offer.media.length)
    violations.push({
      severity: 'warn',
      text: `answers ${offer.media.length} media streams with ${answer.media.length}. Each stream requires an answer, with port 0 to reject it.`,
      source: 'RFC 3264 §6',
    })
  if (streams.some(({ offered, answered }) => offered.kind !== answered.kind))
    return [
      ...violations,
      {
        severity: 'bad',
        text: `answers other streams than were offered, or in another order: ${formatKinds(offer.media)} in the offer, and ${formatKinds(answer.media)} in the answer.`,
        source: 'RFC 3264 §6',
      },
    ]
  return [...violations, ...streams.flatMap(checkStream)]
}

const toFindings = (call: SipCall, agreement: Agreement): SipFinding[] => {
  const { offer, answer } = agreement
  const seen = new Set<string>()
  return checkAnswer(agreement).flatMap(({ severity, text, source }) => {
    if (seen.has(text)) return []
    seen.add(text)
    return [
      {
        severity,
        text: `${sentence(describeParty(call, answer.from))} ${text}`,
        where: answer.from,
        arrows: arrowIds(offer, answer),
        source,
      },
    ]
  })
}

/** Reports an answer that the first offer of a session does not allow. RFC 3264 §6, §6.1. */
export const badAnswer: SipRule = (call) =>
  findAgreements(call).flatMap((agreement) => (agreement.isChange ? [] : toFindings(call, agreement)))

/**
 * Finds an offer that lacks a stream of the session: a stream ends with port 0, and keeps its place (RFC 3264 §8). Fax
 * gateways replace all streams with one, and many programs forget a stream that was refused: nothing is lost then.
 */
const findLostStreams = (call: SipCall, { offer, answer, before }: Agreement): SipFinding[] => {
  const [count, previous] = [offer.media.length, before?.offer.media.length ?? 0]
  const isLost = before?.streams.slice(count).some(({ isAccepted }) => isAccepted) === true
  if (!isLost || [...offer.media, ...(before?.offer.media ?? [])].some(isFax)) return []
  return [
    {
      severity: 'warn',
      text: `${sentence(describeParty(call, offer.from))} offers ${count === 1 ? '1 media stream' : `${count} media streams`}, but the session has ${previous}. A stream that ends keeps its place, with port 0.`,
      where: offer.from,
      arrows: arrowIds(offer, answer),
      source: 'RFC 3264 §8',
    },
  ]
}

/** Reports an offer that the session does not allow, or an answer that the offer of a change does not allow. RFC 3264 §8. */
export const badChange: SipRule = (call) =>
  findAgreements(call).flatMap((agreement) =>
    agreement.isChange ? [...findLostStreams(call, agreement), ...toFindings(call, agreement)] : [],
  )
