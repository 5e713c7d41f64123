import { describeStatus } from './statuses.ts'

/** Says what to do about a final status, by the kind of party that the call was sent to. Pure. */

/**
 * A carrier, a registered SIP client of a user, a SIP URI that is neither, or a host behind the platform that no record
 * names.
 */
export type DestinationKind = 'carrier' | 'client' | 'uri' | 'unknown'

type Advice = Readonly<Record<Exclude<DestinationKind, 'carrier'>, string>>

const again = 'If this happens again, '
const general: Advice = {
  client: `${again}look for the Call-ID in the log of the SIP client.`,
  uri: `${again}send the Call-ID and the time to the operator of the SIP URI.`,
  unknown:
    'Look for the Call-ID in the log of the host that rejected the call: a part of the platform, or a party that its application dialed.',
}

/** Statuses whose general advice is about carriers, with the advice for the other kinds. */
const adviceByStatus: readonly (readonly [statuses: readonly number[], advice: Advice])[] = [
  [[402, 403, 428, 440, 481, 482, 483, 500, 502, 503, 504, 603, 608], general],
  [
    [404, 484, 485, 604],
    {
      client: 'Check that the SIP client is registered, and the name that was dialed.',
      uri: 'Check the user part and the domain of the SIP URI.',
      unknown: `Check the number or name that the application dials, if it does. ${general.unknown}`,
    },
  ],
  [
    [408, 480],
    {
      client:
        'Check that the SIP client is registered: its registration interval, its NAT keepalive, and whether its device sleeps.',
      uri: 'Check that the host of the SIP URI is running and reachable.',
      unknown: general.unknown,
    },
  ],
  [[486, 600], { ...general, client: `${again}check call waiting and do not disturb in the SIP client.` }],
]

/** Returns what to do about a final status of a call that was sent to a party of a kind. */
export const adviseAbout = (status: number, kind: DestinationKind): string => {
  const [, advice] = adviceByStatus.find(([statuses]) => statuses.includes(status)) ?? []
  return advice === undefined || kind === 'carrier' ? describeStatus(status).advice : advice[kind]
}
