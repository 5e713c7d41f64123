import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { getHeader, headersNamed, type ParsedSipMessage, parseUriHost } from '../parser.ts'
import { splitValues } from '../scan.ts'
import { formatEndpoint, isActive } from '../sdp.ts'
import { describeParty } from '../transactions.ts'
import { findNoticedNats } from './nat.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

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

/**
 * Reports a private contact address in a message from a public address. Later requests to it (ACK, BYE, calls to a
 * registered phone) are lost, unless one of them was answered. RFC 3261 §8.1.1.8, §12.1.1; RFC 1918 §3.
 */
export const privateContact: SipRule = (call) => {
  const seen = new Set<string>()
  const noticed = findNoticedNats(call)
  const reached = new Set(call.transactions.flatMap(({ request, answers }) => (answers.length > 0 ? [request.to] : [])))
  for (const { to } of call.acks) reached.add(to)
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const { message, from } = arrow
    if (message === undefined || !lasting.has(message.method) || reached.has(from)) return []
    // The responses of a registrar repeat the contacts of the registered phones (RFC 3261 §10.3, step 8).
    if (message.method === 'REGISTER' && message.status !== undefined) return []
    const host = parseUriHost(getHeader(message, 'contact') ?? '')
    const { address = '' } = call.ladder.lanes[from] ?? {}
    if (!isPrivateAddress(host) || !isPublicAddress(address) || seen.has(`${from} ${host}`)) return []
    if (isReachedOtherwise(message)) return []
    seen.add(`${from} ${host}`)
    const isNoticed = noticed.has(`${from} ${address}`)
    const effect = isNoticed
      ? 'The other side has noticed the NAT. If it also sends its requests, such as a BYE, to the public address, they arrive.'
      : 'Requests to it, such as a BYE, do not arrive unless the address is replaced by the public one.'
    return [
      {
        severity: isNoticed ? 'info' : 'warn',
        text: `${sentence(describeParty(call, from))} is behind a NAT and advertises ${host}, a private address. ${effect}`,
        where: from,
        arrows: arrowIds(arrow),
        source: 'RFC 3261 §8.1.1.8, RFC 1918 §3',
      },
    ]
  })
}

/**
 * Reports a private media address in a message from a public address. Media sent there is lost, unless the other side
 * sends to the source address of the media that it receives. With ICE, the candidates decide. RFC 1918 §3, RFC 6598 §4.
 */
export const privateMedia: SipRule = (call) => {
  const seen = new Set<string>()
  const noticed = findNoticedNats(call)
  return call.ladder.arrows.flatMap((arrow): SipFinding[] => {
    const { address = '' } = call.ladder.lanes[arrow.from] ?? {}
    const hidden = arrow.media.find((media) => isActive(media) && !media.usesIce && isPrivateAddress(media.address))
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
