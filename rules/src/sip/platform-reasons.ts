import { getHeader, type ParsedSipMessage } from './parser.ts'
import { getPhrase } from './reasons.ts'
import type { Refusal, Responder } from './refused-call.ts'

/** Explains refusals by the words of the platform in its own responses. Pure. */

type Explanation = readonly [title: string, advice: string]

/** Texts in lower case, with what they mean. */
const explanations: Readonly<Record<string, Explanation>> = {
  'number not provisioned': [
    'The called number is not configured on the platform',
    'Run the inbound routing test with this number, and assign an application to it.',
  ],
  'maximum calls in progress': [
    'A limit of simultaneous calls was reached',
    'Check the call limits of the account and of the service provider. An alert of the platform names the one that was reached.',
  ],
  'max account calls in progress': [
    'The call limit of the account was reached',
    'Check the call limit of the account.',
  ],
  'max service provider calls in progress': [
    'The call limit of the service provider was reached',
    'Check the call limit of the service provider.',
  ],
  'no configured application': [
    'No application is configured for the called number',
    'Assign an application to the number or to the Microsoft Teams tenant.',
  ],
  'invalid credentials': [
    'The SIP client sent no valid credentials',
    'Check the username, the password, and the realm in the settings of the SIP client.',
  ],
  'unknown or invalid realm': [
    'The caller used a SIP realm that is not known',
    'Check that the SIP client uses the SIP realm of its account as its domain.',
  ],
  'account exists but is inactive': ['The account is inactive', 'Activate the account.'],
}

/** The text ends with the address of the caller. */
const spammer: readonly [start: string, explanation: Explanation] = [
  'detected potential spammer',
  [
    'The caller was taken for a spammer',
    'The SIP realm may be unknown, or the registration webhook may block the user. If the caller is one of yours, check the domain in its SIP client, and the response of this webhook.',
  ],
]

const find = (text: string): Explanation | undefined => {
  const stated = text.trim().toLowerCase()
  if (stated.startsWith(spammer[0])) return spammer[1]
  return Object.hasOwn(explanations, stated) ? explanations[stated] : undefined
}

/**
 * Returns what a response states in words of the platform. Other hosts send the same phrases, but not the header. What to do
 * about it is known only of the own platform, which a caller can also reach by an address that no record names.
 */
export const describePlatformReason = (
  response: ParsedSipMessage,
  { hop, isOutbound }: Pick<Responder, 'hop' | 'isOutbound'>,
): Partial<Refusal> | undefined => {
  const ofHeader = find(getHeader(response, 'x-reason') ?? '')
  const [title, advice] = ofHeader ?? (hop === 'platform' ? find(getPhrase(response)) : undefined) ?? []
  if (title === undefined || hop === 'carrier' || hop === 'client') return undefined
  const explanation = `${title.charAt(0).toLowerCase()}${title.slice(1)}`
  if (hop === 'platform' || !isOutbound) return { explanation, title, advice, side: 'platform' }
  return { explanation }
}
