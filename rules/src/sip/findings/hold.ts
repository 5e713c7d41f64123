import { type ParsedArrow, secondsText } from '../ladder.ts'
import { isActive, isHeldByAddress, type SdpMedia } from '../sdp.ts'
import {
  describeParty,
  describePartyBriefly,
  getStatus,
  isInDialog,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { findByes } from './hangup.ts'
import {
  type Agreement,
  findAgreements,
  findAnswered,
  findAudio,
  findFax,
  hasMedia,
  isAudioBothWays,
  isOpen,
  isRecordingSession,
  restricts,
  type Stream,
  withoutNextHops,
} from './negotiation.ts'
import { arrowIds, isSessionChange, type SipFinding, type SipRule } from './rule.ts'

/** Findings about audio that was agreed in one direction only, or in none (RFC 3264 §5.1, §6.1, §8.4). Pure. */

/** Returns the reason why no media flows: the direction, a hold address, or port 0. */
const describeStop = (media: SdpMedia): string => {
  if (!isActive(media)) return 'port 0'
  return isHeldByAddress(media) ? `the address ${media.address}` : `a=${media.direction}`
}

const describeEffect = (call: SipCall, { offer, answer }: Agreement, { isIn, isOut }: Stream): string => {
  const [offering, answering] = [describePartyBriefly(call, offer.from), describePartyBriefly(call, answer.from)]
  if (isOut) return `${answering} hears ${offering} but is not heard`
  return isIn ? `${offering} hears ${answering} but is not heard` : 'neither hears the other'
}

/** Returns the side whose description stops the audio, the offerer first. */
const findCulprit = ({ offer, answer }: Agreement, { offered, answered }: Stream) =>
  isOpen(offered) ? { media: answered, lane: answer.from } : { media: offered, lane: offer.from }

const isStopped = (agreement: Agreement): boolean => {
  const audio = findAudio(agreement)
  return audio !== undefined && !(audio.isIn && audio.isOut)
}

/** Returns whether other streams than audio are used instead of audio, such as fax or messages. */
const hasOtherMedia = ({ streams }: Agreement): boolean =>
  streams.some(({ offered, isAccepted }) => isAccepted && offered.kind !== 'audio')

/**
 * Returns a later offer in the same dialog that allows audio in both directions, and whose answer or refusal was not
 * captured, so that nothing is known about the audio after it.
 */
const findOpenOffer = (call: SipCall, { answer, ofDialog }: Agreement): ParsedArrow | undefined => {
  const answered = new Set(ofDialog.map(({ transaction }) => transaction))
  return call.transactions
    .filter((one) => one.request.id > answer.id && getStatus(one.final) < 300 && !answered.has(one))
    .filter(({ request }) => isInDialog(request, answer))
    .flatMap(({ request, final }) => (final === undefined || hasMedia(request) ? [request] : [final]))
    .find(({ media }) => media.some((one) => one.kind === 'audio' && isOpen(one)))
}

/**
 * Returns whether a description puts the audio on hold when the call begins: its sender sends at most music, and does not
 * listen (RFC 3264 §8.4). Call centers and conference servers begin calls in this way, with an offer, or with the answer
 * of the caller. A called party that answers so is one-way audio.
 */
const isOnHold = ({ transaction, offer }: Agreement, media: SdpMedia, lane: number): boolean =>
  isActive(media) &&
  (lane === offer.from || lane === transaction.request.from) &&
  (isHeldByAddress(media) || media.direction === 'sendonly' || media.direction === 'inactive')

/**
 * Returns whether the called party plays audio to the caller, does not listen, and hangs up itself. Servers of
 * announcements do so on purpose.
 */
const isAnnouncement = (call: SipCall, { transaction, answer }: Agreement, { answered }: Stream): boolean =>
  answer.from !== transaction.request.from &&
  answered.direction === 'sendonly' &&
  isActive(answered) &&
  !isHeldByAddress(answered) &&
  findByes(call)[0]?.request.message.fromTag === answer.message.toTag

/**
 * Reports audio that the first offer and answer of a call agreed in one direction only, or not at all. It is a note if
 * the offer begins the call on hold, or if a later offer opened the other direction. RFC 3264 §5.1, §6.1, §8.4.
 */
export const oneWay: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const { offer, answer, isChange, ofDialog } = agreement
    const audio = findAudio(agreement)
    if (isChange || audio === undefined || !isStopped(agreement) || isRecordingSession(agreement)) return []
    if (!audio.isAccepted && (findFax(agreement) || hasOtherMedia(agreement))) return []
    const { media, lane } = findCulprit(agreement, audio)
    const opened = ofDialog.find((later) => later.isChange && later.offer.id > offer.id && isAudioBothWays(later))
    // Resources can be reserved before the answer of the call (RFC 3312 §5).
    if (opened !== undefined && opened.answer.id < (agreement.transaction.final?.id ?? 0)) return []
    const by = describeParty(call, lane)
    const base = { where: lane, arrows: arrowIds(offer, answer) }
    if (opened !== undefined)
      return [
        {
          ...base,
          severity: 'info',
          text: `The call began on hold: ${by} sent ${describeStop(media)} in its SDP. Audio in both directions was agreed at ${secondsText(opened.answer.sinceFirst)}.`,
          source: 'RFC 3264 §8.4',
        },
      ]
    const effect = describeEffect(call, agreement, audio)
    const offered = findOpenOffer(call, agreement)
    if (offered !== undefined || isOnHold(agreement, media, lane))
      return [
        {
          ...base,
          severity: 'info',
          text: `The call began on hold: ${by} sent ${describeStop(media)} in its SDP, so ${effect}. ${
            offered === undefined
              ? 'No later offer that ended the hold was captured.'
              : `Other audio was offered at ${secondsText(offered.sinceFirst)}, and the answer was not captured.`
          }`,
          arrows: arrowIds(offer, answer, offered),
          source: 'RFC 3264 §8.4',
        },
      ]
    const source = isActive(media) ? 'RFC 3264 §5.1, §6.1' : 'RFC 3264 §6'
    if (lane === answer.from && isAnnouncement(call, agreement, audio))
      return [
        {
          ...base,
          severity: 'info',
          text: `Audio in one direction was agreed: ${by} sent a=sendonly in its SDP, as announcements do, and hung up itself, so ${effect}.`,
          source,
        },
      ]
    return [
      {
        ...base,
        severity: 'bad',
        text: `${audio.isOut || audio.isIn ? 'One-way audio' : 'No audio'}: ${by} sent ${describeStop(media)} in its SDP, so ${effect}.`,
        source,
      },
    ]
  })

/** Returns the hosts whose audio reaches the other side. */
const findHeard = (agreement: Agreement): string => {
  const audio = findAudio(agreement)
  const { offer, answer } = agreement
  const heard = [...(audio?.isOut ? [offer.from] : []), ...(audio?.isIn ? [answer.from] : [])]
  return heard.toSorted((a, b) => a - b).join(' ')
}

/** Returns the hosts that stop audio on their own, and not because the other side does. */
const findHolders = (agreement: Agreement): readonly number[] => {
  const audio = findAudio(agreement)
  if (audio === undefined) return []
  const { offer, answer } = agreement
  return [...(isOpen(audio.offered) ? [] : [offer.from]), ...(restricts(audio) ? [answer.from] : [])]
}

/** Returns whether the direction of early media was opened again before the call was answered (RFC 3311 §5.1). */
const isOnlyEarly = ({ answer, ofDialog }: Agreement): boolean => {
  const initial = ofDialog.find(({ isChange }) => !isChange)
  const final = initial?.transaction.final
  return (
    initial !== undefined &&
    final !== undefined &&
    answer.id < final.id &&
    answer !== findAnswered(initial).answer &&
    isAudioBothWays(findAnswered(initial))
  )
}

const isNewHold = (agreement: Agreement): boolean => {
  const { isChange, before } = agreement
  const audio = findAudio(agreement)
  if (!isChange || audio === undefined || !isStopped(agreement) || isOnlyEarly(agreement)) return false
  // A stream that is replaced by fax, or by other media, is not on hold.
  if (!audio.isAccepted && hasOtherMedia(agreement)) return false
  if (before === undefined) return true
  const { lane } = findCulprit(agreement, audio)
  return findHeard(before) !== findHeard(agreement) && !findHolders(before).includes(lane)
}

/** Returns whether the side that had put the call on hold ended that, and the other side, which had not, stops the audio. */
const isResumeDeclined = ({ offer, answer, before, streams }: Agreement, lane: number): boolean => {
  const holders = before === undefined ? [] : findHolders(before)
  return (
    lane === answer.from &&
    holders.includes(offer.from) &&
    !holders.includes(answer.from) &&
    streams.some(({ offered, answered }) => offered.kind === 'audio' && answered.direction === 'inactive')
  )
}

/** Returns whether a call was hung up without any other offer after an agreement. */
const isLastChange = (call: SipCall, { answer, ofDialog }: Agreement): boolean => {
  const bye = findByes(call).find(({ request }) => isInDialog(request, answer))
  const isLater = ({ request }: SipTransaction) =>
    request.id > answer.id && isSessionChange(request.message.method) && isInDialog(request, answer)
  return bye !== undefined && !ofDialog.some((one) => one.offer.id > answer.id) && !call.transactions.some(isLater)
}

/**
 * Reports that a side put an established call on hold. A refresh of the session with the same directions is no news
 * (RFC 4028 §7.4). RFC 3264 §8.4.
 */
export const hold: SipRule = (call) =>
  withoutNextHops(findAgreements(call).filter(isNewHold)).flatMap((agreement): SipFinding[] => {
    const { offer, answer } = agreement
    const audio = findAudio(agreement)
    if (audio === undefined) return []
    const { media, lane } = findCulprit(agreement, audio)
    if (isResumeDeclined(agreement, lane))
      return [
        {
          severity: isLastChange(call, agreement) ? 'warn' : 'info',
          text: `At ${secondsText(offer.sinceFirst)} ${describeParty(call, offer.from)} ended its hold, and ${describeParty(call, lane)} answered with ${describeStop(media)}: ${describeEffect(call, agreement, audio)}.`,
          where: lane,
          arrows: arrowIds(offer, answer),
          source: 'RFC 3264 §6.1, §8.4',
        },
      ]
    return [
      {
        severity: 'info',
        text: `At ${secondsText(offer.sinceFirst)} ${describeParty(call, lane)} put the call on hold with ${describeStop(media)}: ${describeEffect(call, agreement, audio)}.`,
        where: lane,
        arrows: arrowIds(offer, answer),
        source: 'RFC 3264 §8.4',
      },
    ]
  })
