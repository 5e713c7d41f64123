import { findByes } from './findings/hangup.ts'
import { arrowIds, type SipFinding, sentence } from './findings/rule.ts'
import { secondsText } from './ladder.ts'
import {
  causes,
  compareRequests,
  formatLater,
  haveSameSender,
  isNear,
  isProvenLater,
  type Leg,
  type LegRequest,
} from './leg-order.ts'
import { formatReasonHeaders } from './reasons.ts'
import { describeHost, describeParty, isAnswered } from './transactions.ts'

/** The finding about which leg of a call was hung up first, and why the others were hung up. Pure. */

/** Returns the BYE of each leg, in the order of cause and effect. */
const listHangups = (legs: readonly Leg[]): LegRequest[] =>
  legs
    .flatMap((leg) => {
      const request = findByes(leg.call)[0]?.request
      return request === undefined ? [] : [{ leg, request }]
    })
    .toSorted(compareRequests)

/** Returns the hangup that began a chain of hangups, of which one is given. */
const findChainStart = (hangups: readonly LegRequest[], hangup: LegRequest): LegRequest => {
  const [cause] = hangups.filter((one) => one !== hangup && causes(one, hangup))
  if (cause === undefined) return hangup
  return findChainStart(
    hangups.filter((one) => one !== hangup),
    cause,
  )
}

/** Returns the hangups that result from one, directly or through another one. */
const listResults = (hangups: readonly LegRequest[], hangup: LegRequest): LegRequest[] => {
  const results = hangups.filter((one) => one !== hangup && causes(hangup, one))
  const rest = hangups.filter((one) => one !== hangup && !results.includes(one))
  return [...results, ...results.flatMap((one) => listResults([one, ...rest], one))]
}

const formatDistance = (from: LegRequest, { request }: LegRequest): string => {
  if (isProvenLater(from.request, request))
    return `had been hung up ${secondsText(from.request.at - request.at)} before`
  return `was hung up ${isProvenLater(request, from.request) ? formatLater(from.request, request) : 'at the same time'}`
}

const describeSeparate = (from: LegRequest, hangup: LegRequest): string =>
  ` ${sentence(hangup.leg.name)} ${formatDistance(from, hangup)}, by ${describeParty(hangup.leg.call, hangup.request.from)}.`

/** Describes the first hangup, those that the same host sent with it, and those that result from it. */
const describeChain = (
  { leg, request }: LegRequest,
  together: readonly LegRequest[],
  results: readonly LegRequest[],
): string => {
  const followed = results.map((one) => `${one.leg.name} was hung up ${formatLater(request, one.request)}`)
  const after = followed.length > 0 ? `, and ${followed.join(', ')}` : ''
  if (together.length > 0) {
    const names = [leg, ...together.map((one) => one.leg)].map(({ name }) => name)
    return `${describeHost(leg.call.ladder, request.from)} hung up ${names.join(' and ')}${after}.`
  }
  const party = describeParty(leg.call, request.from)
  return followed.length === 0
    ? `${sentence(party)} hung up ${leg.name}.`
    : `The hangup came from ${leg.name}: there ${party} hung up first${after}.`
}

/**
 * Reports how the call ended: which leg was hung up first, and which ones as a result. A leg that ended long before, such
 * as an agent before a survey, is no reason. RFC 3261 §15.
 */
export const findHangups = (legs: readonly Leg[]): SipFinding[] => {
  const answered = legs.filter(({ last }) => isAnswered(last))
  const hangups = listHangups(legs)
  const end = hangups.find(({ leg }) => leg === legs[0]) ?? hangups.at(-1)
  if (end === undefined || answered.length < 2) return []
  const first = findChainStart(hangups, end)
  const results = [...new Set(listResults(hangups, first))]
  const others = hangups.filter((one) => one !== first && !results.includes(one))
  const isTogether = (one: LegRequest) => haveSameSender(first, one) && isNear(first.request, one.request)
  const separate = others.filter((one) => !isTogether(one)).map((one) => describeSeparate(first, one))
  const open = answered.filter((leg) => hangups.every((one) => one.leg !== leg)).map(({ name }) => name)
  const missing = open.length > 0 ? ` No BYE of ${open.join(' and ')} was captured.` : ''
  return [
    {
      severity: 'info',
      text:
        describeChain(first, others.filter(isTogether), results) +
        `${separate.join('')}${missing}${formatReasonHeaders(first.request.message)}`,
      where: first.request.from,
      arrows: arrowIds(first.request, ...hangups.filter((one) => one !== first).map(({ request }) => request)),
      source: 'RFC 3261 §15',
    },
  ]
}
