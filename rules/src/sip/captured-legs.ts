import type { Capture } from '@patchbay/contract/call-captures'
import type { Call } from '@patchbay/contract/recent-calls'
import { formatParties } from '../calls/call-parties.ts'
import type { CapturedLeg } from './ladder.ts'

/** Chooses the legs of a call whose captures are shown together. Pure. */

/** A leg of a call, or a registration. */
export interface ShownLeg {
  sip_callid: string
  /** Describes the leg, such as `15083084809 to 18882349999, inbound`. */
  description: string
  /** Names by address, with or without port. */
  names: Readonly<Record<string, string>>
}

type FormatNumber = (number: string) => string

/** Returns display names for the hosts in the record of a leg. */
const getHostNames = ({ host, remote_host, trunk }: Call): Record<string, string> => ({
  ...(remote_host && trunk ? { [remote_host]: trunk } : {}),
  ...(host ? { [host]: 'the platform' } : {}),
})

const toShownLeg = (leg: Call, formatNumber: FormatNumber): ShownLeg => ({
  sip_callid: leg.sip_callid ?? '',
  description: [formatParties(leg, formatNumber), leg.direction, leg.trunk].filter(Boolean).join(', '),
  names: getHostNames(leg),
})

/** Returns the parent leg if only its Call-ID is known because it has no record of its own. */
const getParentLeg = ({ sip_parent_callid }: Call, legs: readonly Call[]): ShownLeg[] =>
  sip_parent_callid && !legs.some(({ sip_callid }) => sip_callid === sip_parent_callid)
    ? [{ sip_callid: sip_parent_callid, description: 'the call from which it was made', names: {} }]
    : []

/**
 * Returns the legs whose SIP is shown for a call.
 * @param legs the records of all legs, or undefined if they are unknown
 */
export const toShownLegs = (
  call: Call,
  legs: readonly Call[] | undefined,
  formatNumber: FormatNumber,
): readonly ShownLeg[] => [
  ...getParentLeg(call, legs ?? []),
  ...(legs ?? [call]).map((leg) => toShownLeg(leg, formatNumber)),
]

/** The maximum number of captures that are read and shown together. */
const maxDrawnLegs = 8

/** Returns the leg with this Call-ID and the first of the other legs. */
export const selectLegs = (legs: readonly ShownLeg[], sip_callid: string): readonly ShownLeg[] => {
  let others = maxDrawnLegs - 1
  return legs.filter((leg) => leg.sip_callid === sip_callid || others-- > 0)
}

/** Returns the letter of a leg. */
export const nameLegAt = (index: number): string => String.fromCodePoint(65 + index)

/** Names the legs by letters. A leg without a capture is left out, because it cannot be selected. */
export const nameLegs = (
  legs: readonly ShownLeg[],
  captures: readonly { capture?: Capture }[] = [],
): (CapturedLeg & ShownLeg & { capture: Capture })[] =>
  legs.flatMap((leg, index) => {
    const capture = captures[index]?.capture
    return capture === undefined || capture.total === 0 ? [] : [{ ...leg, name: nameLegAt(index), capture }]
  })
