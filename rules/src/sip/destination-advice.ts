import { describeStatus } from './statuses.ts'

/** Says what to do about a final status of an outbound call, by the kind of party that it was sent to. Pure. */

/** A carrier, a registered SIP client of a user, a SIP URI that is neither, or a host behind the platform that no record names. */
export type DestinationKind = 'carrier' | 'client' | 'uri' | 'unknown'

const again = 'If this happens again, '
const general = [
  `${again}look for the Call-ID in the log of the SIP client.`,
  `${again}send the Call-ID and the time to the operator of the SIP URI.`,
] as const

/** Statuses about the called number or name. */
const numberStatuses: readonly number[] = [404, 484, 485, 604]

const ofUnknown =
  'Look for the Call-ID in the log of the host that rejected the call: a part of the platform, or a party that its application dialed.'
const ofUnknownNumber = `Check the number or name that the application dials, if it does. ${ofUnknown}`

/** Statuses whose general advice is about carriers, with the advice for SIP clients, and for SIP URIs. */
const adviceByStatus: readonly (readonly [statuses: readonly number[], client: string, uri: string])[] = [
  [[402, 403, 428, 440, 481, 482, 483, 500, 502, 503, 504, 603, 608], ...general],
  [
    numberStatuses,
    'Check that the SIP client is registered, and the name that was dialed.',
    'Check the user part and the domain of the SIP URI.',
  ],
  [
    [408, 480],
    'Check that the SIP client is registered: its registration interval, its NAT keepalive, and whether its device sleeps.',
    'Check that the host of the SIP URI is running and reachable.',
  ],
  [[486, 600], `${again}check call waiting and do not disturb in the SIP client.`, general[1]],
]

/** Returns what to do about a final status of a call that was sent to a party of a kind. */
export const adviseAbout = (status: number, kind: DestinationKind): string => {
  const [, client, uri] = adviceByStatus.find(([statuses]) => statuses.includes(status)) ?? []
  const isAboutNumber = numberStatuses.includes(status)
  const advice = { carrier: undefined, client, uri, unknown: client && (isAboutNumber ? ofUnknownNumber : ofUnknown) }
  return advice[kind] ?? describeStatus(status).advice
}
