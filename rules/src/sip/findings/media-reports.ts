import type { ParsedArrow } from '../ladder.ts'
import { headersNamed, type ParsedSipMessage } from '../parser.ts'
import { haveMixedFamilies } from '../sdp.ts'
import { describeParty, isAnswered, isInDialog, requestsNamed, type SipCall } from '../transactions.ts'
import { findAgreements, findAudio, isAudioBothWays, isRecordingSession } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/**
 * Findings about what the two sides said about the media that they received, at the end of the call. It proves more than
 * what was agreed. Pure.
 */

/** Headers in which programs explain why they ended a call. */
const reasonHeaders = ['reason', 'warning', 'x-reason', 'x-hangup-cause', 'x-twilio-error', 'error-info']

const subject = 'rtp|rtcp|srtp|media|audio|ice|dtls'

/** Texts about programs, files, and offers, which say nothing about packets of media. */
const otherSubjects =
  /\b(?:servers?|gateway|proxy|resources?|allocat\w+|ports?|negotiat\w+|offer|type|format|codecs?|mail|voicemail|files?|prompt|record\w*|recogni\w+|play\w*|messages?|duration|length|users?|conferenc\w+|meetings?|needed|requested|schedul\w+)\b/

/** Texts that deny or measure a loss, such as `no audio loss` and `audio loss 0%`. */
const harmless =
  /\b(?:no|zero|without)(?: \w+){0,2} (?:loss|lost|timeout|failure)\b|\b(?:loss|lost)\W{1,3}0(?![.\d]*[1-9])/

/** Words between `no` and its noun, as in `no incoming audio`. */
const between = 'incoming|inbound|received|active|valid|more|further|two way|one way|of|any'

const subjects = new RegExp(`\\b(?:${subject})\\b`, 'g')

const effects =
  /\b(?:time ?out|timed out|inactiv|broken|lost|loss|dead|fail|stopped|missing|absen|expired|guard timer|not received|not flowing|not established)/

/** The longest distance between media and what happened to them, in characters. Both are in the same clause. */
const maxDistance = 60

const getClause = (text: string, index: number): string =>
  text.slice(index, index + maxDistance).split(/[,;.]/, 1)[0] ?? ''

const absences: readonly RegExp[] = [
  new RegExp(`\\b(?:no|missing|lost|loss|without|absence|lack)(?: (?:${between})){0,2} (?:${subject})\\b`),
  /\b(?:inactivity|timeout|failure) (?:of|in|on) (?:rtp|media|audio)\b/,
]

/**
 * Returns whether a text says that no media arrived, such as `rtp timeout`, `rtp broken connection`, `media timeout`,
 * `no media received`, and `ice connectivity checks failed`. The text is in lower case.
 */
const isComplaint = (text: string): boolean =>
  !otherSubjects.test(text) &&
  !harmless.test(text) &&
  (absences.some((absence) => absence.test(text)) ||
    [...text.matchAll(subjects)].some(({ index }) => effects.test(getClause(text, index))))

/** Returns a text such as `MEDIA_TIMEOUT` as words in lower case. */
const toPlain = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, ' ')

/** Returns the header of a message that says that no media arrived. */
const findComplaint = (message: ParsedSipMessage): string | undefined => {
  for (const name of reasonHeaders)
    for (const value of headersNamed(message, name)) if (isComplaint(toPlain(value))) return value
  return undefined
}

/**
 * Returns the text of a header, without the code that only support can look up, such as the UUID of Microsoft Teams:
 * `RTP Broken Connection` for `Q.850;cause=34;text="local, …"`.
 */
const quoteComplaint = (value: string): string => {
  const quotes = [...value.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
  return (quotes.find((text) => isComplaint(toPlain(text))) ?? quotes[0] ?? value)
    .replace(/^[0-9a-f]{8}-[0-9a-f-]{27};\s*/i, '')
    .trim()
}

/** Headers with the packets that a phone or gateway received (PR) and sent (PS). */
const statisticsHeaders = ['p-rtp-stat', 'x-rtp-stat', 'x-rtp-stat-add', 'rtp-rxstat', 'x-p-rtp-stat']

/** Returns the number of packets that the sender of a message received, if it says so. */
const findReceivedPackets = (message: ParsedSipMessage): number | undefined => {
  for (const name of statisticsHeaders)
    for (const value of headersNamed(message, name)) {
      const [, count] = /(?:^|[,;\s])(?:PR|Pkt)=(\d{1,12})/i.exec(value) ?? []
      if (count !== undefined) return Number(count)
    }
  return undefined
}

/** Microseconds. A shorter call, or a shorter part of it, can end before the first packet arrives. */
const shortCall = 2_000_000

/** Returns the tag of the side that sent a message. */
const getSenderTag = ({ message: { status, fromTag, toTag } }: ParsedArrow): string =>
  status === undefined ? fromTag : toTag

/**
 * Returns whether an agreement let the sender of a message receive audio for long enough. It did not if the other side
 * only listens, as for paging, or if the call is recorded by the other side.
 */
const wasToReceive = (call: SipCall, arrow: ParsedArrow, answeredAt: number): boolean =>
  findAgreements(call).some((agreement) => {
    const { offer, answer, dialog, ofDialog } = agreement
    const audio = findAudio(agreement)
    if (audio === undefined || !isInDialog(arrow, answer) || isRecordingSession(agreement)) return false
    const next = ofDialog.find((one) => one.dialog === dialog && one.answer.id > answer.id)
    const until = Math.min(next?.offer.at ?? arrow.at, arrow.at)
    const isOpen = getSenderTag(arrow) === getSenderTag(offer) ? audio.isIn : audio.isOut
    return isOpen && until - Math.max(answer.at, answeredAt) >= shortCall
  })

/** Returns the statement that a message makes about media which did not arrive. */
const findStatement = (call: SipCall, arrow: ParsedArrow, answeredAt: number | undefined): string | undefined => {
  const complaint = findComplaint(arrow.message)
  if (complaint !== undefined) return `its reason is “${quoteComplaint(complaint)}”`
  if (answeredAt === undefined || findReceivedPackets(arrow.message) !== 0) return undefined
  return wasToReceive(call, arrow, answeredAt) ? 'its statistics count no received packet' : undefined
}

const describeAgreed = (call: SipCall): string => {
  const agreements = findAgreements(call)
  const latest = agreements.at(-1)
  if (latest === undefined) return ''
  const audio = findAudio(latest)
  if (audio && haveMixedFamilies(audio.offered, audio.answered))
    return ' One side expected it at an IPv4 address, and the other at an IPv6 address.'
  if (isAudioBothWays(latest)) return ' Audio in both directions had been agreed, so look at the path of the media.'
  return agreements.some(isAudioBothWays) ? ' At that time, the call was on hold.' : ''
}

/**
 * Reports that a side received no media, according to the reason or the statistics with which it ended the call. RFC 3326
 * §2.
 */
export const noMediaReceived: SipRule = (call) => {
  const { last } = call
  const answeredAt = last?.final && isAnswered(last) ? last.final.at : undefined
  const seen = new Set<string>()
  return requestsNamed(call, 'BYE')
    .flatMap(({ request, final }) => (final === undefined ? [request] : [request, final]))
    .flatMap((arrow): SipFinding[] => {
      const statement = findStatement(call, arrow, answeredAt)
      if (statement === undefined || seen.has(statement)) return []
      seen.add(statement)
      const isEnd = arrow.message.status === undefined
      // Media can arrive without the reports about them.
      const missing = /\brtcp\b(?!.*\brtp\b)/i.test(statement) ? 'reports about media (RTCP)' : 'media'
      const what =
        isEnd && statement.startsWith('its reason')
          ? `ended the call because of missing ${missing}`
          : `received no ${missing}`
      return [
        {
          severity: 'bad',
          text: `${sentence(describeParty(call, arrow.from))} ${what}: ${statement}.${describeAgreed(call)}`,
          arrows: arrowIds(arrow),
          source: 'RFC 3326 §2',
        },
      ]
    })
}
