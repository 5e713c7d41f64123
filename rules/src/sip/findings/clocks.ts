import { hostAt, type SipArrow, type SipLadder, secondsText } from '../ladder.ts'
import { type SipFinding, type SipRule, times } from './rule.ts'

/** Findings about the clocks of the capture agents. Pure. */

/** Names the two clocks of an arrow and its cause: two capture agents, or else the two hosts whose messages disagree. */
const nameClocks = (ladder: SipLadder, arrow: SipArrow, cause: SipArrow): string => {
  if (arrow.agent === undefined || cause.agent === undefined)
    return `the messages of ${hostAt(ladder, cause.from)} and ${hostAt(ladder, arrow.from)}`
  return arrow.agent === cause.agent
    ? `the messages of the capture agent ${arrow.agent}`
    : `the capture agents ${cause.agent} and ${arrow.agent}`
}

/**
 * Reports messages that are stamped before what caused them, once for each pair of clocks, with the largest difference.
 * The clocks differ, or an agent stamps when it processes a message; nothing is lost (RFC 3261 §17: transactions are
 * matched by branch and CSeq, not by time).
 */
export const clocks: SipRule = ({ ladder }) => {
  const byClocks = new Map<string, { arrow: SipArrow; cause: SipArrow; by: number; count: number }>()
  const arrowsById = new Map(ladder.arrows.map((arrow) => [arrow.id, arrow]))
  for (const arrow of ladder.arrows) {
    const cause = arrow.early && arrowsById.get(arrow.early.cause)
    if (arrow.early === undefined || cause === undefined) continue
    const key = nameClocks(ladder, arrow, cause)
    const { by } = arrow.early
    const earlier = byClocks.get(key)
    if (earlier === undefined) byClocks.set(key, { arrow, cause, by, count: 1 })
    else byClocks.set(key, { ...(by > earlier.by ? { arrow, cause, by } : earlier), count: earlier.count + 1 })
  }
  return [...byClocks].map(
    ([names, { arrow, cause, by, count }]): SipFinding => ({
      severity: 'info',
      text:
        `The time stamps of ${names} differ by ${secondsText(by)} or more: ${arrow.title} is stamped before ${cause.title}, ` +
        `which has to precede it${count > 1 ? ` (${times(count)} in total)` : ''}. The messages are shown in the order of events.`,
      arrows: [cause.id, arrow.id],
      source: 'RFC 3261 §17.1.3',
    }),
  )
}
