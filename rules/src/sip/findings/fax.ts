import { elapsedText, type ParsedArrow, secondsText } from '../ladder.ts'
import { isActive } from '../sdp.ts'
import { describeParty, type SipCall } from '../transactions.ts'
import { isMediaRefused } from './common-codecs.ts'
import { findByes } from './hangup.ts'
import { type Agreement, findAgreements, findAudio, findFax, isFax, withoutNextHops } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about fax over T.38 (ITU-T T.38 Annex D, RFC 3362). Pure. */

const source = 'ITU-T T.38 §D.2.2'

/**
 * Microseconds within which the end of a call follows from a refused fax: the machines need longer to agree on a speed and
 * to send a page as audio (ITU-T T.30).
 */
const shortFax = 10_000_000

/**
 * Returns the BYE that ended the call soon after a switch to fax was refused. Undefined if the two sides changed the session
 * again before, so that the fax went on another way.
 */
const findEnd = (call: SipCall, refusal: ParsedArrow): ParsedArrow | undefined => {
  const bye = findByes(call).find(({ request }) => request.id > refusal.id)?.request
  if (bye === undefined || bye.at - refusal.at > shortFax) return undefined
  const isChanged = findAgreements(call).some(({ offer }) => offer.id > refusal.id && offer.id < bye.id)
  return isChanged ? undefined : bye
}

const advice =
  'Allow fax over T.38 at the side that refused it, or turn T.38 off at the other one, so that fax machines use audio (G.711) from the beginning.'

/** Describes a refused switch, with the end of the call if it followed soon. */
const describeRefusal = (
  call: SipCall,
  { from, refusal, what, otherwise }: { from: number; refusal: ParsedArrow; what: string; otherwise: string },
): Pick<SipFinding, 'severity' | 'text' | 'advice'> => {
  const end = findEnd(call, refusal)
  if (end === undefined) return { severity: 'info', text: `${what}. ${otherwise}` }
  const who = end.from === from ? ' and' : `, and ${describeParty(call, end.from)}`
  return { severity: 'warn', text: `${what}${who} hung up ${elapsedText(refusal, end)} later.`, advice }
}

const hasFax = ({ streams, before }: Agreement): boolean =>
  streams.some(({ offered }) => isFax(offered) && isActive(offered)) ||
  (before !== undefined && hasFax({ ...before, before: undefined }))

const findSwitches = (call: SipCall): SipFinding[] =>
  withoutNextHops(findAgreements(call).filter(hasFax)).flatMap((agreement): SipFinding[] => {
    const { offer, answer, isChange, before } = agreement
    const arrows = arrowIds(offer, answer)
    const at = secondsText(offer.sinceFirst)
    const by = describeParty(call, offer.from)
    const wasFax = before !== undefined && findFax(before) !== undefined
    if (findFax(agreement) !== undefined) {
      if (wasFax) return []
      const text = isChange
        ? `At ${at} ${by} switched the call to fax (T.38), and ${describeParty(call, answer.from)} agreed.`
        : 'A fax (T.38) was agreed when the call was answered.'
      return [{ severity: 'info', text, where: offer.from, arrows, source }]
    }
    if (wasFax && findAudio(agreement)?.isAccepted)
      return [{ severity: 'info', text: `At ${at} ${by} switched the call from fax back to audio.`, arrows, source }]
    const isDeclined =
      isChange &&
      agreement.streams.some(({ offered, answered }) => isFax(offered) && isActive(offered) && !isActive(answered))
    if (!isDeclined) return []
    const what = `At ${at} ${describeParty(call, answer.from)} declined fax over T.38 with port 0`
    const otherwise = 'The fax can continue as audio.'
    const described = describeRefusal(call, { from: answer.from, refusal: answer, what, otherwise })
    return [{ ...described, where: answer.from, arrows, source }]
  })

/** A refused switch leaves the session unchanged, so that the fax can continue as audio (RFC 3261 §14.1). */
const findRefusedSwitches = (call: SipCall): SipFinding[] => {
  const seen = new Set<string>()
  return call.transactions.flatMap((transaction): SipFinding[] => {
    const { request, final } = transaction
    const { fromTag, toTag, number } = request.message
    if (
      toTag === '' ||
      final === undefined ||
      !isMediaRefused(transaction) ||
      !request.media.some(isFax) ||
      seen.has(`${fromTag} ${number}`)
    )
      return []
    seen.add(`${fromTag} ${number}`)
    return [
      {
        ...describeRefusal(call, {
          from: final.from,
          refusal: final,
          what: `${sentence(describeParty(call, final.from))} refused to switch the call to fax (T.38) with ${final.title}`,
          otherwise: 'The session stays unchanged, and the fax can continue as audio.',
        }),
        where: final.from,
        arrows: arrowIds(request, final),
        source: `${source}, RFC 3261 §14.1`,
      },
    ]
  })
}

/** Reports that a call was switched to fax or back, or that this was refused, and whether the call ended then. */
export const fax: SipRule = (call) => [...findSwitches(call), ...findRefusedSwitches(call)]
