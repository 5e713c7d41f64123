import type { CapturedLeg } from '@patchbay/rules/sip/ladder'
import type { ReadCapture } from './queries.ts'

/** A leg of a call, or a registration. */
export interface ShownLeg {
  sip_callid: string
  /** Describes the leg, such as `15083084809 to 18882349999, inbound`. */
  description: string
  /** Names by address, with or without port. */
  names: Readonly<Record<string, string>>
}

/** The maximum number of captures that are read and shown together. */
const maxDrawnLegs = 8

/** Returns the leg with this Call-ID and the first of the other legs. */
export const selectLegs = (legs: readonly ShownLeg[], sip_callid: string): readonly ShownLeg[] => {
  let others = maxDrawnLegs - 1
  return legs.filter((leg) => leg.sip_callid === sip_callid || others-- > 0)
}

const nameAt = (index: number): string => String.fromCodePoint(65 + index)

/** Names the legs by letters. A leg without a capture is left out, because it cannot be selected. */
export const nameLegs = (
  legs: readonly ShownLeg[],
  captures: readonly ReadCapture[] = [],
): (CapturedLeg & ShownLeg)[] =>
  legs.flatMap((leg, index) => {
    const capture = captures[index]?.capture
    return capture === undefined || capture.total === 0 ? [] : [{ ...leg, name: nameAt(index), capture }]
  })
