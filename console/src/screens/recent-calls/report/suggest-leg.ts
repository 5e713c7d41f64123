import type { Call } from '@patchbay/contract/recent-calls'
import { isCarrierLeg } from '@patchbay/rules/call-verdict/record-rules'

/**
 * Returns the Call-ID of the leg that the ticket of a carrier needs, because a carrier has seen no other: of the opened
 * leg if it is one with a carrier, or else of one that failed, or else of the last one. Returns undefined if no leg has a
 * carrier. Pure.
 */
export const suggestLeg = (own: Call, legs: readonly Call[]): string | undefined => {
  const ofCarriers = legs.filter((leg) => leg.sip_callid && isCarrierLeg(leg))
  const leg =
    ofCarriers.find(({ sip_callid }) => sip_callid === own.sip_callid) ??
    ofCarriers.findLast(({ answered }) => !answered) ??
    ofCarriers.at(-1)
  return leg?.sip_callid ?? undefined
}
