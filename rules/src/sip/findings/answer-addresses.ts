import { formatEndpoint, haveMixedFamilies, isHeldByAddress, type SdpMedia } from '../sdp.ts'
import type { Stream } from './negotiation.ts'

/** Checks of the addresses to which an offer and its answer let media be sent. Pure. */

export interface Violation {
  /** `bad` if no media can flow because of it. */
  severity: 'bad' | 'warn'
  /** Continues the name of the answering party. */
  text: string
  source: string
}

const isAddressKnown = ({ address, usesIce, hasOtherAddresses }: SdpMedia): boolean =>
  address !== '' || usesIce || hasOtherAddresses

/** Media need the address of each side, in the description of the stream or of the session (RFC 8866 §5.7). */
export const checkAddresses = ({ offered, answered, isIn, isOut }: Stream): Violation[] => {
  if (isOut && !isAddressKnown(answered))
    return [
      {
        severity: 'bad',
        text: `answers without an address (no line c=), so no ${offered.kind} can be sent to it.`,
        source: 'RFC 8866 §5.7',
      },
    ]
  if (isIn && !isAddressKnown(offered))
    return [
      {
        severity: 'bad',
        text: `answers an offer without an address (no line c=), so it can send no ${offered.kind}.`,
        source: 'RFC 8866 §5.7',
      },
    ]
  return []
}

/** An offer whose addresses ICE selects has no usable address without ICE (RFC 8839 §4.2.5). */
export const checkReachability = ({ offered, answered }: Stream): Violation[] => {
  if (!offered.usesIce || answered.usesIce || !isHeldByAddress({ ...offered, usesIce: false })) return []
  return [
    {
      severity: 'bad',
      text: `answers without ICE, but the offer has no other address for ${offered.kind} than its candidates.`,
      source: 'RFC 8839 §4.2.5',
    },
  ]
}

/**
 * Addresses of both families need a translator between the two sides, unless each side has the family of the other too
 * (RFC 6157 §4). Nothing in the answer shows that, so it proves no loss.
 */
export const checkFamilies = ({ offered, answered, isIn, isOut }: Stream): Violation[] => {
  if ((!isIn && !isOut) || !haveMixedFamilies(offered, answered)) return []
  return [
    {
      severity: 'warn',
      text: `answers ${offered.kind} at ${formatEndpoint(offered)} with ${formatEndpoint(answered)}, and without ICE: one side expects it at an IPv4 address, the other at an IPv6 address. A side that has no address of the other family cannot send it.`,
      source: 'RFC 6157 §4, RFC 8866 §5.7',
    },
  ]
}
