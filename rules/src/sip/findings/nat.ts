import { headersNamed } from '../parser.ts'
import { scanParameter } from '../scan.ts'
import type { SipCall } from '../transactions.ts'

/**
 * Returns the address from which a request came according to the Via of its response, if it is another one than its sender
 * names. A server states it in any case if the sender asks for `rport` (RFC 3261 §18.2.1, RFC 3581 §4).
 */
const findTranslation = (via: string): string | undefined => {
  const received = scanParameter(via, 'received')
  const [sender = ''] = via.split(';', 1)
  return received === undefined || sender.includes(received) ? undefined : received
}

/** Returns the hosts whose NAT the other side has noticed, as lane and address: its responses say so. */
export const findNoticedNats = ({ ladder }: SipCall): ReadonlySet<string> =>
  new Set(
    ladder.arrows.flatMap(({ message, to }) =>
      message?.status === undefined
        ? []
        : headersNamed(message, 'via').map((via) => `${to} ${findTranslation(via) ?? ''}`),
    ),
  )

/** Returns the hosts whose requests came from another address than the one that they name, according to the responses. */
export const findTranslatedHosts = ({ ladder }: SipCall): ReadonlySet<number> =>
  new Set(
    ladder.arrows.flatMap(({ message, to }) => {
      const [via = ''] = message?.status === undefined ? [] : headersNamed(message, 'via')
      return findTranslation(via) === undefined ? [] : [to]
    }),
  )
