import type { Call } from '@patchbay/contract/recent-calls'
import type { ShownLeg } from '../../sections/sip/captured-legs.ts'
import type { FormatNumber } from '../../ui/format/phone-number-format.ts'
import { formatParties } from './call-facts.ts'

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
