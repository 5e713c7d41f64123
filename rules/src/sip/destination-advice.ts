import { describeStatus } from './statuses.ts'

/** Says what to do about a final status of an outbound call, by the kind of party that it was sent to. Pure. */

/** A carrier, a registered SIP client of a user, or a SIP URI that is neither. */
export type DestinationKind = 'carrier' | 'client' | 'uri'

type OtherKind = Exclude<DestinationKind, 'carrier'>

interface Advice extends Readonly<Record<OtherKind, string>> {
  statuses: readonly number[]
}

const findState =
  'Check that the SIP client is registered and reachable: its registration interval, its NAT keepalive, and whether its device sleeps.'

/** Statuses whose general advice is about carriers, with the advice for other destinations. */
const adviceByStatus: readonly Advice[] = [
  {
    statuses: [402],
    client: 'Ask the operator of the SIP client why it requires payment.',
    uri: 'Ask the operator of the SIP URI why it requires payment.',
  },
  {
    statuses: [403],
    client: 'Check the settings of the SIP client, such as blocked callers.',
    uri: 'Ask the operator of the SIP URI which SIP addresses and calling numbers it allows.',
  },
  {
    statuses: [404, 484, 485, 604],
    client: 'Check that the SIP client is registered, and the name that was dialed.',
    uri: 'Check the user part and the domain of the SIP URI.',
  },
  {
    statuses: [408, 480],
    client: findState,
    uri: 'Check that the host of the SIP URI is up, and that its responses come back.',
  },
  {
    statuses: [428],
    client: 'Check why the SIP client requires signed calls.',
    uri: 'Ask the operator of the SIP URI why it requires signed calls.',
  },
  {
    statuses: [440, 482, 483],
    client: 'Check that the SIP client does not forward the call back to the platform.',
    uri: 'Check that the SIP URI does not lead the call back to the platform.',
  },
  {
    statuses: [481, 500, 502, 504],
    client: 'If this happens again, look for the Call-ID in the log of the SIP client.',
    uri: 'If this happens again, send the Call-ID and the time to the operator of the SIP URI.',
  },
  {
    statuses: [486, 600],
    client: 'If this happens often, check the call waiting and do not disturb settings of the SIP client.',
    uri: 'If this happens often, ask the operator of the SIP URI how many calls it accepts.',
  },
  {
    statuses: [503],
    client: findState,
    uri: 'Ask the operator of the SIP URI, and give the Call-ID and the time.',
  },
  {
    statuses: [603],
    client: 'A person, the SIP client, or the platform can have sent this status. Open the SIP messages to see which.',
    uri: 'A person, a network, a filter, or the platform can have sent this status. Open the SIP messages to see which.',
  },
  {
    statuses: [608],
    client: 'Do not call again immediately. Check the calling number, and how many short calls it makes.',
    uri: 'Do not call again immediately. Check the calling number, and how many short calls it makes.',
  },
]

/** Returns what to do about a final status of a call that was sent to a party of a kind. */
export const adviseAbout = (status: number, kind: DestinationKind): string => {
  const { advice } = describeStatus(status)
  if (kind === 'carrier') return advice
  return adviceByStatus.find(({ statuses }) => statuses.includes(status))?.[kind] ?? advice
}
