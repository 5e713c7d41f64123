import { secondsText } from '../ladder.ts'
import { isActive } from '../sdp.ts'
import { describeParty, type SipCall } from '../transactions.ts'
import { isMediaRefused } from './common-codecs.ts'
import { type Agreement, findAgreements, findAudio, findFax, isFax, withoutNextHops } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about fax over T.38 (ITU-T T.38 Annex D, RFC 3362). Pure. */

const source = 'ITU-T T.38 §D.2.2'

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
    const text = `At ${at} ${describeParty(call, answer.from)} declined fax over T.38 with port 0. The fax can continue as audio.`
    return [{ severity: 'info', text, where: answer.from, arrows, source }]
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
        severity: 'info',
        text: `${sentence(describeParty(call, final.from))} refused to switch the call to fax (T.38) with ${final.title}. The session stays unchanged, and the fax can continue as audio.`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: `${source}, RFC 3261 §14.1`,
      },
    ]
  })
}

/** Reports that a call was switched to fax or back, or that this was refused. */
export const fax: SipRule = (call) => [...findSwitches(call), ...findRefusedSwitches(call)]
