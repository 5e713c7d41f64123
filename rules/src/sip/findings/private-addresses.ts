import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { hostAt, type ParsedArrow } from '../ladder.ts'
import { getHeader, headersNamed, type ParsedSipMessage } from '../parser.ts'
import { splitValues } from '../scan.ts'
import { formatEndpoint, isActive, type SdpMedia } from '../sdp.ts'
import { describeParty, type SipCall } from '../transactions.ts'
import { getContactHost, getLaneAddress } from './contact-addresses.ts'
import { countReceived } from './media-reports.ts'
import { findNoticedNats, findTranslatedHosts } from './nat.ts'
import { arrowIds, nameRequest, provenCopies, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about private addresses in messages from public ones. Pure. */

const lasting = new Set(['INVITE', 'REGISTER', 'SUBSCRIBE', 'UPDATE'])

/**
 * Returns whether a client has asked for requests to be sent to where its own come from: a flow that it keeps open (RFC
 * 5626, `ob`, `reg-id`), the source port (`rport`, RFC 3581), or a proxy in between (`Path`, RFC 3327, `Record-Route`, or
 * another Via).
 */
const isReachedOtherwise = (message: ParsedSipMessage): boolean => {
  const vias = headersNamed(message, 'via').flatMap(splitValues)
  const contact = getHeader(message, 'contact') ?? ''
  return (
    vias.length > 1 ||
    getHeader(message, 'path') !== undefined ||
    // A proxy in front of the client passes later requests on (RFC 3261 §12.2.1.1).
    getHeader(message, 'record-route') !== undefined ||
    /;[ \t]*(?:rport|received)\b/i.test(vias[0] ?? '') ||
    /;[ \t]*(?:ob|reg-id|\+sip\.instance)\b/i.test(contact)
  )
}

/** Returns the requests that were repeated to an address and got no response, one for each address. */
const findUnansweredRequests = ({ ladder, transactions }: SipCall): ReadonlyMap<string, ParsedArrow> =>
  new Map(
    transactions.flatMap(({ request, answers }) =>
      answers.length === 0 && request.again.length >= provenCopies
        ? [[ladder.lanes[request.to]?.address ?? '', request] as const]
        : [],
    ),
  )

/**
 * Reports a private contact address in a message from a public address. Later requests to it (ACK, BYE, calls to a
 * registered phone) are lost, unless one of them was answered. RFC 3261 §8.1.1.8, §12.1.1; RFC 1918 §3.
 */
export const privateContact: SipRule = (call) => {
  const seen = new Set<string>()
  const noticed = findNoticedNats(call)
  const reached = new Set(call.transactions.flatMap(({ request, answers }) => (answers.length > 0 ? [request.to] : [])))
  for (const { to } of call.acks) reached.add(to)
  const unanswered = findUnansweredRequests(call)
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const { message, from } = arrow
    if (message === undefined || !lasting.has(message.method)) return []
    // The responses of a registrar repeat the contacts of the registered phones (RFC 3261 §10.3, step 8).
    if (message.method === 'REGISTER' && message.status !== undefined) return []
    const host = getContactHost(message)
    const address = getLaneAddress(call, from)
    if (!isPrivateAddress(host) || !isPublicAddress(address) || seen.has(`${from} ${host}`)) return []
    const lost = unanswered.get(host)
    if (lost === undefined && (reached.has(from) || isReachedOtherwise(message))) return []
    seen.add(`${from} ${host}`)
    const isNoticed = lost === undefined && noticed.has(`${from} ${address}`)
    const effect = lost
      ? `The ${nameRequest(lost.message.method)} that was sent to it got no response.`
      : isNoticed
        ? 'The other side has noticed the NAT. If it also sends its requests, such as a BYE, to the public address, they arrive.'
        : 'Requests to it, such as a BYE, do not arrive unless the address is replaced by the public one.'
    return [
      {
        severity: isNoticed ? 'info' : 'warn',
        text: `${sentence(describeParty(call, from))} is behind a NAT and advertises ${host}, a private address. ${effect}`,
        where: from,
        arrows: arrowIds(arrow, lost),
        source: 'RFC 3261 §8.1.1.8, RFC 1918 §3',
      },
    ]
  })
}

const isHidden = (media: SdpMedia): boolean => isActive(media) && !media.usesIce && isPrivateAddress(media.address)

/** Returns the hosts whose statistics say that they received media. */
const findReceivers = ({ ladder }: SipCall): ReadonlySet<number> =>
  new Set(
    ladder.arrows.flatMap(({ message, from }) => (message !== undefined && countReceived(message) > 0 ? [from] : [])),
  )

/**
 * Reports a host behind a NAT that presents its public address to a public host in signaling, and a private one for media.
 * It was captured before the NAT, so its own setting is wrong. If both are private, the two can share a private network, or
 * a gateway can replace both. RFC 1918 §3, RFC 6598 §4.
 */
const findOwnPrivateMedia = (call: SipCall): SipFinding[] => {
  const seen = new Set<string>()
  const [translated, receivers] = [findTranslatedHosts(call), findReceivers(call)]
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const { message, from, to } = arrow
    const hidden = arrow.media.find((media) => isHidden(media) && ['sendrecv', 'recvonly'].includes(media.direction))
    if (message === undefined || hidden === undefined || seen.has(`${from} ${hidden.address}`)) return []
    const isBehindNat = isPrivateAddress(getLaneAddress(call, from)) && isPublicAddress(getLaneAddress(call, to))
    if (!isBehindNat || !isPublicAddress(getContactHost(message))) return []
    if (translated.has(from) || receivers.has(from)) return []
    seen.add(`${from} ${hidden.address}`)
    return [
      {
        severity: 'warn',
        text: `${sentence(describeParty(call, from))} names ${getContactHost(message)} as its Contact to ${hostAt(call.ladder, to)}, but expects ${hidden.kind} at ${formatEndpoint(hidden)}, a private address. It receives nothing unless the other side sends to the source address of its media (symmetric RTP).`,
        where: from,
        arrows: arrowIds(arrow),
        source: 'RFC 1918 §3, RFC 6598 §4',
        advice: 'Set the public address of the media server, so that the SDP names it.',
      },
    ]
  })
}

const findPublicSources = (call: SipCall): SipFinding[] => {
  const seen = new Set<string>()
  const noticed = findNoticedNats(call)
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const address = getLaneAddress(call, arrow.from)
    const hidden = arrow.media.find(isHidden)
    if (hidden === undefined || !isPublicAddress(address) || seen.has(`${arrow.from} ${hidden.address}`)) return []
    seen.add(`${arrow.from} ${hidden.address}`)
    const isKnown = noticed.has(`${arrow.from} ${address}`)
    const end = isKnown
      ? 'The other side has noticed the NAT. If it also sends to the source address of its media (symmetric RTP), nothing is lost.'
      : 'It receives nothing unless the other side sends to the source address of its media (symmetric RTP).'
    return [
      {
        severity: isKnown ? 'info' : 'warn',
        text: `${sentence(describeParty(call, arrow.from))} expects ${hidden.kind} at ${formatEndpoint(hidden)}, a private address. ${end}`,
        where: arrow.from,
        arrows: arrowIds(arrow),
        source: 'RFC 1918 §3, RFC 6598 §4',
      },
    ]
  })
}

/**
 * Reports a private media address in a message from or to a public address. Media sent there is lost, unless the other side
 * sends to the source address of the media that it receives. With ICE, the candidates decide. RFC 1918 §3, RFC 6598 §4.
 */
export const privateMedia: SipRule = (call) => [...findPublicSources(call), ...findOwnPrivateMedia(call)]
