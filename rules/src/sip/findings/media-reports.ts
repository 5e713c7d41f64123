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

/** Headers in which programs explain why they ended a call, with the document that describes them. */
const reasonHeaders: Readonly<Record<string, string>> = {
  reason: 'RFC 3326 §2',
  warning: 'RFC 3261 §20.43',
  'x-reason': 'X-Reason header',
  'x-hangup-cause': 'X-Hangup-Cause header',
  'x-twilio-error': 'X-Twilio-Error header',
  'error-info': 'RFC 3261 §20.18',
}

const subject = 'rtp|rtcp|srtp|media|audio|ice|dtls|stun|consent'

/** Texts about programs, files, and offers, which say nothing about packets of media. */
const otherSubjects =
  /\b(?:servers?|gateway|proxy|resources?|allocat\w+|ports?|negotiat\w+|offer|type|format|codecs?|mail|voicemail|files?|prompt|record\w*|recogni\w+|play\w*|messages?|duration|length|users?|conferenc\w+|meetings?|needed|requested|schedul\w+)\b/

/** Texts that deny or measure a loss, such as `no audio loss`, `audio loss 0.2%`, and `lost=2`. */
const harmless =
  /\b(?:no|zero|without)(?: \w+){0,2} (?:loss|lost|timeout|failure)\b|\b(?:loss|lost)\W{1,3}(?!100 ?%)\d|\bno one way\b/

/**
 * Words between `no` and its noun, as in `no incoming audio`. A prompt that has ended has no more audio, so `more` is none
 * of them.
 */
const between = 'incoming|inbound|received|active|valid|two way|of|any'

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
  /\bno (?:more|further) (?:rtp|media|packets)\b/,
  /\bno (?:voice|speech) (?:packets|data|media|traffic)\b/,
  new RegExp(`\\b(?:rtp|media|audio|voice)\\W{1,3}no (?:(?:${between}) ){0,2}packets\\b`),
  /\bone way (?:audio|media|voice|speech)\b/,
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

interface Complaint {
  value: string
  source: string
}

/** Returns the header of a message that says that no media arrived. */
const findComplaint = (message: ParsedSipMessage): Complaint | undefined => {
  for (const [name, source] of Object.entries(reasonHeaders))
    for (const value of headersNamed(message, name)) if (isComplaint(toPlain(value))) return { value, source }
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
const sharedHeaders = ['P-RTP-Stat', 'X-RTP-Stat', 'X-RTP-Stat-Add', 'X-P-RTP-Stat'] as const

/** Headers and members with the number of packets in each direction. */
const statistics = {
  received: { headers: [...sharedHeaders, 'RTP-RxStat'], count: /(?:^|[,;\s])(?:PR|Pkt)=(\d{1,12})/i },
  sent: { headers: [...sharedHeaders, 'RTP-TxStat'], count: /(?:^|[,;\s])(?:PS|Pkt)=(\d{1,12})/i },
} as const

type Way = keyof typeof statistics

/** Returns the number of packets that the sender of a message received or sent, and the header that says so. */
const findPackets = (message: ParsedSipMessage, way: Way): { packets: number; header: string } | undefined => {
  const { headers, count } = statistics[way]
  for (const header of headers)
    for (const value of headersNamed(message, header.toLowerCase())) {
      const [, packets] = count.exec(value) ?? []
      if (packets !== undefined) return { packets: Number(packets), header }
    }
  return undefined
}

/** Returns the number of packets that the sender of a message received, according to its statistics. */
export const countReceived = (message: ParsedSipMessage): number => findPackets(message, 'received')?.packets ?? 0

/** Microseconds. A shorter call, or a shorter part of it, can end before the first packet arrives. */
const shortCall = 2_000_000

/** Returns the tag of the side that sent a message. */
const getSenderTag = ({ message: { status, fromTag, toTag } }: ParsedArrow): string =>
  status === undefined ? fromTag : toTag

/**
 * Returns whether an agreement let the sender of a message receive or send audio for long enough. It did not if one side
 * only listens, as for paging, or if the call is recorded by the other side.
 */
const wasOpen = (call: SipCall, arrow: ParsedArrow, answeredAt: number, way: Way): boolean =>
  findAgreements(call).some((agreement) => {
    const { offer, answer, dialog, ofDialog } = agreement
    const audio = findAudio(agreement)
    if (audio === undefined || !isInDialog(arrow, answer) || isRecordingSession(agreement)) return false
    const next = ofDialog.find((one) => one.dialog === dialog && one.answer.id > answer.id)
    const until = Math.min(next?.offer.at ?? arrow.at, arrow.at)
    const isOffering = getSenderTag(arrow) === getSenderTag(offer)
    const isOpen = isOffering === (way === 'received') ? audio.isIn : audio.isOut
    return isOpen && until - Math.max(answer.at, answeredAt) >= shortCall
  })

interface Statement {
  text: string
  source: string
}

/** Returns what the statistics in a message say about media that were not received or not sent. */
const findSilence = (
  call: SipCall,
  arrow: ParsedArrow,
  answeredAt: number | undefined,
  way: Way,
): Statement | undefined => {
  const counted = findPackets(arrow.message, way)
  if (answeredAt === undefined || counted?.packets !== 0 || !wasOpen(call, arrow, answeredAt, way)) return undefined
  return { text: `its statistics count no ${way} packet`, source: `${counted.header} header` }
}

/** Returns the statement that a message makes about media which did not arrive. */
const findStatement = (call: SipCall, arrow: ParsedArrow, answeredAt: number | undefined): Statement | undefined => {
  const complaint = findComplaint(arrow.message)
  if (complaint === undefined) return findSilence(call, arrow, answeredAt, 'received')
  return { text: `its reason is “${quoteComplaint(complaint.value)}”`, source: complaint.source }
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

/** Returns the time of the answer. Undefined if the call was not answered. */
const getAnswerTime = ({ last }: SipCall): number | undefined =>
  last?.final && isAnswered(last) ? last.final.at : undefined

/** Returns the messages that end the call, in which programs report about media. */
const listReports = (call: SipCall): ParsedArrow[] =>
  requestsNamed(call, 'BYE').flatMap(({ request, final }) => (final === undefined ? [request] : [request, final]))

/** Reports that a side received no media, according to the reason or the statistics with which it ended the call. */
export const noMediaReceived: SipRule = (call) => {
  const answeredAt = getAnswerTime(call)
  const seen = new Set<string>()
  return listReports(call).flatMap((arrow): SipFinding[] => {
    const statement = findStatement(call, arrow, answeredAt)
    if (statement === undefined || seen.has(statement.text)) return []
    const { text, source } = statement
    seen.add(text)
    const isEnd = arrow.message.status === undefined
    // Media can arrive without the reports about them.
    const missing = /\brtcp\b(?!.*\brtp\b)/i.test(text) ? 'reports about media (RTCP)' : 'media'
    const what =
      isEnd && text.startsWith('its reason') ? `ended the call because of missing ${missing}` : `received no ${missing}`
    return [
      {
        severity: 'bad',
        text: `${sentence(describeParty(call, arrow.from))} ${what}: ${text}.${describeAgreed(call)}`,
        arrows: arrowIds(arrow),
        source,
      },
    ]
  })
}

/**
 * Reports that a side sent no media, according to its statistics. That is a warning, because a side that is muted all the
 * time can send none.
 */
export const noOutgoingMedia: SipRule = (call) => {
  const answeredAt = getAnswerTime(call)
  return listReports(call).flatMap((arrow): SipFinding[] => {
    const statement = findSilence(call, arrow, answeredAt, 'sent')
    if (statement === undefined) return []
    const { text, source } = statement
    return [
      {
        severity: 'warn',
        text: `${sentence(describeParty(call, arrow.from))} sent no media: ${text}.`,
        arrows: arrowIds(arrow),
        source,
      },
    ]
  })
}
