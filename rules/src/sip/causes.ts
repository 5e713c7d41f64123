/** Causes and locations of ITU-T Q.850, and the codes of Warning headers, in words. Pure. */

/** Q.850 §2.2.7, with the texts of RFC 3398 §7.2.4.1. */
const causes: Readonly<Record<number, string>> = {
  1: 'unallocated number',
  2: 'no route to transit network',
  3: 'no route to destination',
  5: 'misdialed trunk prefix',
  6: 'channel unacceptable',
  7: 'call awarded and delivered in an established channel',
  16: 'normal call clearing',
  17: 'user busy',
  18: 'no user responding',
  19: 'no answer from user',
  20: 'subscriber absent',
  21: 'call rejected',
  22: 'number changed',
  23: 'redirection to new destination',
  25: 'exchange routing error',
  26: 'non-selected user clearing',
  27: 'destination out of order',
  28: 'invalid number format',
  29: 'facility rejected',
  30: 'response to status enquiry',
  31: 'normal, unspecified',
  34: 'no circuit available',
  38: 'network out of order',
  41: 'temporary failure',
  42: 'switching equipment congestion',
  43: 'access information discarded',
  44: 'requested channel not available',
  47: 'resource unavailable',
  50: 'requested facility not subscribed',
  55: 'incoming calls barred within the closed user group',
  57: 'bearer capability not authorized',
  58: 'bearer capability not available now',
  63: 'service or option not available',
  65: 'bearer capability not implemented',
  70: 'only restricted digital information is available',
  79: 'service not implemented',
  87: 'user not member of the closed user group',
  88: 'incompatible destination',
  95: 'invalid message',
  96: 'mandatory information missing',
  97: 'message type not implemented',
  98: 'message not compatible with the state of the call',
  99: 'information element not implemented',
  100: 'invalid content of an information element',
  101: 'message not compatible with the state of the call',
  102: 'recovery on timer expiry',
  111: 'protocol error',
  127: 'interworking, unspecified',
}

/** Returns what a cause of Q.850 means, or undefined if it is not known. */
export const describeCause = (cause: number): string | undefined => causes[cause]

/** RFC 8606 §4 */
const locations: Readonly<Record<string, string>> = {
  U: 'the user',
  LPN: 'the private network of the caller',
  LN: 'the originating network',
  TN: 'a transit network',
  RLN: 'the network of the called party',
  RPN: 'the private network of the called party',
  INTL: 'an international network',
  BI: 'a network beyond an interworking point',
}

/** Returns the network that a location names, or undefined if it is not known. */
export const describeLocation = (location: string): string | undefined =>
  Object.hasOwn(locations, location.toUpperCase()) ? locations[location.toUpperCase()] : undefined

/** RFC 3261 §20.43 */
const warnings: Readonly<Record<number, string>> = {
  300: 'incompatible network protocol',
  301: 'incompatible network address formats',
  302: 'incompatible transport protocol',
  303: 'incompatible bandwidth units',
  304: 'media type not available',
  305: 'incompatible media format',
  306: 'attribute not understood',
  307: 'session description parameter not understood',
  330: 'multicast not available',
  331: 'unicast not available',
  370: 'insufficient bandwidth',
}

/** Returns what the code of a Warning header means, or undefined if the code has no meaning of its own. */
export const describeWarningCode = (code: number): string | undefined => warnings[code]
