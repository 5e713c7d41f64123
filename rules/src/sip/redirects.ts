import type { DestinationKind } from './destination-advice.ts'
import type { ParsedArrow } from './ladder.ts'
import { headersNamed } from './parser.ts'
import { cleanText } from './reasons.ts'
import { firstUriIn, splitValues } from './scan.ts'
import type { SipCall, SipTransaction } from './transactions.ts'

/** Explains redirections that ended a call, by the addresses that they name (RFC 3261 §8.1.3.4). Pure. */

/** The addresses that a redirection names, and whether they can lead to the called party. */
export interface Redirect {
  /** The addresses of its Contact headers, as `user@host`. */
  targets: readonly string[]
  /** `same` if it names only the address that was called, and `circle` if all that it names had redirected the call. */
  leadsTo: 'elsewhere' | 'same' | 'circle'
}

const schemes = /^(?:sips?|tel):/i

/** Splits a URI into user and host, without its scheme, its password, and the parameters and headers after its host. */
const splitUri = (uri: string): { user: string; host: string; parameters: string } => {
  const address = uri.trim().replace(schemes, '')
  const at = address.indexOf('@')
  const [host = '', ...parameters] = address.slice(at + 1).split(/[;?]/)
  return { user: at < 0 ? '' : (address.slice(0, at).split(':', 1)[0] ?? ''), host, parameters: parameters.join(';') }
}

/** Returns `user@host` of a URI, or its number or host alone. Parameters of the user, such as those of ported numbers, are left out. */
export const nameUri = (uri: string): string => {
  const { user, host } = splitUri(uri)
  return user === '' ? host : `${user.split(';', 1)[0]}@${host}`
}

/**
 * Returns a text that is the same for URIs that lead to the same place. Another transport, another address of a server, and
 * routing data of the number are other places. 5060 and UDP are the defaults (RFC 3261 §19.1.2).
 */
const toKey = (uri: string): string => {
  const { user, host, parameters } = splitUri(uri)
  const [server] = /(?:^|;)maddr=[^;]*/i.exec(parameters) ?? ['']
  const [transport] = /(?:^|;)transport=(?!udp)[^;]*/i.exec(parameters) ?? ['']
  return [/^\s*sips:/i.test(uri), user, host.replace(/:5060$/, ''), server, transport].join(' ').toLowerCase()
}

const getRequestUri = ({ raw }: ParsedArrow): string => raw.slice(0, 1024).split(/\s/, 2)[1] ?? ''

/** Statuses that name other addresses of the called party. 305 names a proxy on the way to the same one. */
const redirecting: readonly number[] = [300, 301, 302]

/** The number of addresses that are read from a redirection. */
const maxTargets = 10

const listTargets = ({ message }: ParsedArrow): string[] =>
  redirecting.includes(message.status ?? 0)
    ? headersNamed(message, 'contact').flatMap(splitValues).slice(0, maxTargets).map(firstUriIn)
    : []

/** Returns what a final response redirects to. Undefined if it is no redirection, or names nothing. */
export const findRedirect = (
  { attempts }: Pick<SipCall, 'attempts'>,
  { request }: SipTransaction,
  final: ParsedArrow,
): Redirect | undefined => {
  const targets = listTargets(final)
  if (targets.length === 0) return undefined
  const own = toKey(getRequestUri(request))
  const before = attempts.filter(
    (one) => one.request.id < request.id && one.final !== undefined && listTargets(one.final).length > 0,
  )
  const tried = new Set([own, ...before.map((one) => toKey(getRequestUri(one.request)))])
  const keys = targets.map(toKey)
  const isTried = keys.every((key) => tried.has(key))
  return {
    targets: [...new Set(targets.map((one) => cleanText(nameUri(one))))],
    leadsTo: !isTried ? 'elsewhere' : keys.every((key) => key === own) ? 'same' : 'circle',
  }
}

const checkForwarding =
  'Check where the called number is forwarded to: its targets send calls back to each other, or to themselves.'

/** States what is known about a redirection beyond the meaning of its status. */
interface RedirectRefusal {
  title?: string
  explanation?: string
  details?: string
  advice?: string
  source?: string
}

/** Returns what is known about a redirection that ended a call to a party of a kind. */
export const describeRedirect = ({ targets, leadsTo }: Redirect, kind: DestinationKind): RedirectRefusal => {
  const named = targets.join(', ')
  if (leadsTo === 'elsewhere') return { details: ` Its Contact header names ${named}.` }
  const [title, explanation] =
    leadsTo === 'same'
      ? [
          'The call was redirected to the address that had been called',
          `it redirected the call to the address that had been called, ${named}`,
        ]
      : [
          'The call was redirected in a circle',
          `it redirected the call in a circle, to ${named}, which had redirected it before`,
        ]
  return {
    title,
    explanation,
    advice:
      kind === 'carrier'
        ? `${checkForwarding} If you have not set this up, send the Call-ID and the time to the carrier.`
        : checkForwarding,
    source: 'RFC 3261 §8.1.3.4',
  }
}
