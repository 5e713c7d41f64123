import { describeLocation } from './causes.ts'
import { headersNamed, type ParsedSipMessage } from './parser.ts'
import { analyticsMark, getPhrase, parseReasons, type Reason } from './reasons.ts'
import { firstUriIn, scanAddressParameters, scanParameter, splitValues } from './scan.ts'

/**
 * Recognizes calls that a network, a filter, or the called side blocked: 603 Network Blocked (ATIS-1000099), 607 Unwanted
 * (RFC 8197), and 608 Rejected (RFC 8688). Pure.
 */

/** A contact for objections against a block. */
export interface BlockContact {
  kind: 'url' | 'tel' | 'email'
  /** Validated: an https URL, a number in E.164 format, or an e-mail address. */
  value: string
}

export interface NetworkBlock {
  /** `unwanted` if the called side marked the caller, `filter` for a filter in a network, and `analytics` for 603+. */
  kind: 'analytics' | 'filter' | 'unwanted'
  /** The network that blocked the call, such as `the network of the called party`. */
  network: string | undefined
  /** The identifier of the block at the network. */
  identifier: string | undefined
  contacts: readonly BlockContact[]
  /** The part of the response that a hop between changed. */
  changed: 'phrase' | 'status' | undefined
  /** True if the response names no details, only its reason phrase says that a network blocked the call. */
  isPhraseOnly: boolean
}

const url = /^https:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?(?:[/?#][\x21\x23-\x3b\x3d\x3f-\x7e]*)?$/i
const e164 = /^\+[1-9]\d{4,14}$/
const email = /^[\w.+%-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$/i

/** The longest contact that is shown, in characters. */
const maxContact = 300

/** Returns a contact if it can be shown as a link safely. The response can come from anybody. */
const toContact = (key: string, text: string): BlockContact[] => {
  const value = text.trim()
  if (value.length > maxContact) return []
  if (key === 'url' && url.test(value)) return [{ kind: 'url', value }]
  const number = value.replace(/^tel:/i, '').replace(/[().\- ]/g, '')
  if (key === 'tel' && e164.test(number)) return [{ kind: 'tel', value: number }]
  const address = value.replace(/^mailto:/i, '')
  return key === 'email' && email.test(address) ? [{ kind: 'email', value: address }] : []
}

const isAnalytics = ({ text }: Reason): boolean => text?.toLowerCase().startsWith(analyticsMark) === true

/** Returns the reasons that do not contain the details of a block. */
export const withoutBlockDetails = (reasons: readonly Reason[]): Reason[] => reasons.filter((one) => !isAnalytics(one))

/** Parses `v=analytics1;url=https://…;tel=+1…;email=…;id=…`. */
const parseDetails = (text: string): Pick<NetworkBlock, 'contacts' | 'identifier'> => {
  const parts = text.split(';', 20).map((part): readonly [string, string] => {
    const equals = part.indexOf('=')
    return [part.slice(0, Math.max(equals, 0)).trim().toLowerCase(), part.slice(equals + 1).trim()]
  })
  const [, identifier = ''] = parts.find(([key]) => key === 'id') ?? []
  return {
    contacts: parts.flatMap(([key, value]) => toContact(key, value)),
    identifier: /^[\x21-\x7e]{1,128}$/.test(identifier) ? identifier : undefined,
  }
}

/** Returns the links to the signed contact cards of the party that blocked a call (RFC 8688 §3.2). */
const findCards = (response: ParsedSipMessage): BlockContact[] =>
  headersNamed(response, 'call-info')
    .flatMap(splitValues)
    .slice(0, 20)
    .filter((value) => scanParameter(scanAddressParameters(value), 'purpose')?.toLowerCase() === 'jwscard')
    .flatMap((value) => toContact('url', firstUriIn(value)))

/** Returns who blocked a call with this response, or undefined if the response does not say that it was blocked. */
export const findNetworkBlock = (response: ParsedSipMessage): NetworkBlock | undefined => {
  const { status = 0 } = response
  const details = parseReasons(response).find(isAnalytics)
  const isBlockedPhrase = status === 603 && getPhrase(response).toLowerCase() === 'network blocked'
  const none = { network: undefined, identifier: undefined, contacts: [], changed: undefined, isPhraseOnly: false }
  if (details !== undefined && status >= 400)
    return {
      kind: 'analytics',
      network: details.location === undefined ? undefined : describeLocation(details.location),
      ...parseDetails(details.text ?? ''),
      changed: status !== 603 ? 'status' : isBlockedPhrase ? undefined : 'phrase',
      isPhraseOnly: false,
    }
  if (isBlockedPhrase) return { ...none, kind: 'analytics', isPhraseOnly: true }
  if (status === 608) return { ...none, kind: 'filter', contacts: findCards(response) }
  return status === 607 ? { ...none, kind: 'unwanted' } : undefined
}
