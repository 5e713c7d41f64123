import { commonFormats, formatCodecs, getClockRate, getCodecName } from '../codecs.ts'
import type { ParsedArrow } from '../ladder.ts'
import { getHeader, headersNamed } from '../parser.ts'
import type { SdpMedia } from '../sdp.ts'
import { describeParty, isAnswered, requestsNamed, type SipCall, type SipTransaction } from '../transactions.ts'
import { findAgreements, findAudio, isRecordingSession } from './negotiation.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about keys that a person pressed (DTMF): RFC 4733, RFC 6086, RFC 4730. Pure. */

const isTones = (codec: string): boolean => getCodecName(codec) === 'telephone-event'

const hasTones = ({ codecs }: SdpMedia): boolean => codecs.some(isTones)

const getContentType = ({ message }: ParsedArrow): string =>
  getHeader(message, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Counts the keys in `5`, `12#`, and in the numbers that stand for `*` and `#`. */
const countKeys = (text: string): number => {
  const keys = text.trim()
  if (/^1[0-5]$/.test(keys)) return 1
  return /^[\d*#a-d]{1,64}$/i.test(keys) ? keys.length : 0
}

/** Returns the value of a line such as `Signal=5` in a body. */
const findValue = (body: string, name: string): string => {
  for (const line of body.split(/[\r\n]+/, 64)) {
    const [key = ''] = line.split(/[=:]/, 1)
    if (key.trim().toLowerCase() === name) return line.slice(key.length + 1)
  }
  return ''
}

/** Returns the number of keys in the body of an INFO request. */
const countInfoKeys = (request: ParsedArrow): number => {
  const { body } = request.message
  switch (getContentType(request)) {
    case 'application/dtmf':
      return countKeys(body)
    case 'application/dtmf-relay':
      return countKeys(findValue(body, 'signal'))
    case 'application/vnd.nortelnetworks.digits':
      return countKeys(findValue(body, 'd'))
    default:
      return 0
  }
}

/** Returns the number of keys in the body of a report of keys (RFC 4730 §6.5). */
const countReportedKeys = (request: ParsedArrow): number =>
  getContentType(request) === 'application/kpml-response+xml'
    ? countKeys(/\sdigits\s*=\s*["']([^"']*)["']/i.exec(request.message.body)?.[1] ?? '')
    : 0

interface Keys {
  sender: number
  count: number
  refused: number
  arrows: number[]
}

/** Counts keys per sender. Further hops repeat a request with the same CSeq and tag. */
const countBySender = (transactions: readonly SipTransaction[], count: (request: ParsedArrow) => number): Keys[] => {
  const bySender = new Map<string, Keys>()
  const seen = new Set<string>()
  for (const transaction of transactions) {
    const { request, final } = transaction
    const { fromTag, number } = request.message
    const keys = count(request)
    if (keys === 0 || seen.has(`${fromTag} ${number}`)) continue
    seen.add(`${fromTag} ${number}`)
    const all = bySender.get(fromTag) ?? { sender: request.from, count: 0, refused: 0, arrows: [] }
    all.count += keys
    if (final !== undefined && !isAnswered(transaction)) all.refused += keys
    all.arrows.push(...arrowIds(request, final))
    bySender.set(fromTag, all)
  }
  return [...bySender.values()]
}

const formatCount = (count: number): string => (count === 1 ? '1 key' : `${count} keys`)

const findKeys = (call: SipCall): (Keys & { way: string; source: string })[] => [
  ...countBySender(requestsNamed(call, 'INFO'), countInfoKeys).map((keys) => ({
    ...keys,
    way: 'INFO requests',
    source: 'RFC 6086 §4',
  })),
  ...countBySender(requestsNamed(call, 'NOTIFY'), countReportedKeys).map((keys) => ({
    ...keys,
    way: 'key reports (KPML)',
    source: 'RFC 4730 §6.5',
  })),
]

const haveEvents = (call: SipCall): boolean =>
  findAgreements(call).some((agreement) => {
    const audio = findAudio(agreement)
    return audio !== undefined && commonFormats(audio.answered, audio.offered).some(({ codec }) => isTones(codec))
  })

/** Reports how many keys were sent as SIP requests. Does not show which, because they can be a PIN. */
export const keys: SipRule = (call) =>
  findKeys(call).map(({ sender, count, refused, arrows, way, source }): SipFinding => {
    const isLost = refused === count && !haveEvents(call)
    const rejected =
      refused === 0 ? '' : refused === count ? ' All of them were rejected.' : ` ${refused} of them were rejected.`
    return {
      severity: isLost ? 'warn' : 'info',
      text: `${sentence(describeParty(call, sender))} sent ${formatCount(count)} (DTMF) in ${way}.${rejected}`,
      where: sender,
      arrows,
      source,
    }
  })

const lists = (arrow: ParsedArrow, header: string, value: string): boolean =>
  headersNamed(arrow.message, header).some((list) =>
    list
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(value),
  )

/**
 * Reports that keys are not negotiated as events in the audio, unless they can be sent as requests, and that events have
 * another clock rate than the audio. RFC 4733 §2.5.1.1, §2.1.
 */
export const noTones: SipRule = (call) =>
  findAgreements(call).flatMap((agreement): SipFinding[] => {
    const audio = findAudio(agreement)
    const { offer, answer, isChange } = agreement
    if (audio === undefined || isChange || !audio.isAccepted || audio.common.length === 0) return []
    if (isRecordingSession(agreement)) return []
    const arrows = arrowIds(offer, answer)
    const source = 'RFC 4733 §2.5.1.1'
    const events = commonFormats(audio.answered, audio.offered).filter(({ codec }) => isTones(codec))
    const [codec = ''] = audio.common
    if (events.length > 0) {
      const rates = events.map((event) => getClockRate(event.codec))
      // The clock of G.722 is 8000 Hz in RTP, although it samples at 16000 Hz.
      if (rates.includes(getClockRate(codec))) return []
      const text = `DTMF was agreed with a clock rate of ${rates.join(' and ')} Hz, but ${formatCodecs([codec])} has ${getClockRate(codec)} Hz. Some programs do not recognize such keys.`
      return [{ severity: 'info', text, where: answer.from, arrows, source: 'RFC 4733 §2.1, RFC 7587 §4.1' }]
    }
    const canRequest = [offer, answer].some((one) => lists(one, 'allow', 'info') || lists(one, 'allow-events', 'kpml'))
    if (canRequest || findKeys(call).length > 0) return []
    const [isOffered, isInAnswer] = [hasTones(audio.offered), hasTones(audio.answered)]
    const effect = 'DTMF arrives as in-band audio or not at all.'
    if (isOffered === isInAnswer) {
      const what = isOffered ? 'Both sides name other clock rates for' : 'Neither side names'
      return [{ severity: 'info', text: `${what} telephone-event: ${effect}`, arrows, source }]
    }
    const without = isOffered ? answer : offer
    const text = `${sentence(describeParty(call, without.from))} does not name telephone-event: ${effect}`
    return [{ severity: 'info', text, where: without.from, arrows, source }]
  })
