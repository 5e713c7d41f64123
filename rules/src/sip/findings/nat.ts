import { headersNamed } from '../parser.ts'
import { scanParameter } from '../scan.ts'
import type { SipCall } from '../transactions.ts'

/**
 * Returns the hosts whose NAT the other side has noticed, as lane and address: its responses say where the requests came
 * from (RFC 3581 §4).
 */
export const findNoticedNats = ({ ladder }: SipCall): ReadonlySet<string> =>
  new Set(
    ladder.arrows.flatMap(({ message, to }) =>
      message?.status === undefined
        ? []
        : headersNamed(message, 'via').map((via) => `${to} ${scanParameter(via, 'received') ?? ''}`),
    ),
  )
