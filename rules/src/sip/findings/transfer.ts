import type { ParsedArrow } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import { nameUri } from '../redirects.ts'
import { firstUriIn, scanParameter } from '../scan.ts'
import {
  describeParty,
  getStatus,
  isAnswered,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about transfers: REFER with its result (RFC 3515, RFC 5589), and Replaces (RFC 3891). Pure. */

interface Target {
  /** User or host of the URI. */
  name: string
  /** True if the target replaces a call that the transferring party already has. */
  isAttended: boolean
  /** Empty for INVITE, which is the default (RFC 3515 §2.1). */
  method: string
}

const parseTarget = ({ message }: ParsedArrow): Target => {
  const uri = firstUriIn(getHeader(message, 'refer-to') ?? '').trim()
  const [address = '', headers = ''] = uri.split('?', 2)
  const [, method = ''] = /;method=(\w{1,32})/i.exec(address) ?? []
  return {
    name: nameUri(address),
    isAttended: /(?:^|&)replaces=/i.test(headers),
    method: method.toUpperCase() === 'INVITE' ? '' : method.toUpperCase(),
  }
}

interface Result {
  notify: ParsedArrow
  /** Status line in the body, such as `486 Busy Here`. */
  title: string
  status: number
  isLast: boolean
}

const parseResult = ({ request }: SipTransaction): Result | undefined => {
  const { message } = request
  const type = getHeader(message, 'content-type')?.toLowerCase() ?? ''
  const line = message.body.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  const [, status, reason = ''] = type.includes('sipfrag') ? (/^SIP\/2\.0 +(\d{3})(.*)$/i.exec(line) ?? []) : []
  const isLast = /^\s*terminated/i.test(getHeader(message, 'subscription-state') ?? '')
  if (status === undefined && !isLast) return undefined
  return { notify: request, title: `${status ?? ''} ${reason.trim()}`.trim(), status: Number(status ?? 0), isLast }
}

/**
 * Returns the reports about one REFER. The ID, its CSeq, distinguishes several in one dialog (RFC 3515 §2.4.6). Programs
 * that write none report about the latest REFER.
 */
const findResults = (
  notifies: readonly SipTransaction[],
  refer: SipTransaction,
  refers: readonly SipTransaction[],
): Result[] => {
  const { fromTag, number } = refer.request.message
  const ofSender = refers.filter(({ request }) => request.message.fromTag === fromTag)
  const isLatestBefore = ({ request: { id } }: SipTransaction): boolean =>
    (ofSender.findLast(({ request }) => request.id < id) ?? ofSender[0]) === refer
  return notifies.flatMap((notify) => {
    const event = getHeader(notify.request.message, 'event') ?? ''
    if (!/^\s*refer\b/i.test(event) || notify.request.message.toTag !== fromTag) return []
    const id = scanParameter(event, 'id')
    if (id === undefined ? !isLatestBefore(notify) : Number(id) !== number) return []
    return parseResult(notify) ?? []
  })
}

const isWithoutReport = ({ request, final }: SipTransaction): boolean =>
  [request, final].some((arrow) => arrow && getHeader(arrow.message, 'refer-sub')?.trim().toLowerCase() === 'false')

const describeOutcome = (
  call: SipCall,
  refer: SipTransaction,
  results: readonly Result[],
  target: Target,
): SipFinding => {
  const { request, final } = refer
  const what = `${target.isAttended ? 'attended ' : ''}transfer to ${target.name}`
  const by = `${describeParty(call, request.from)} asked ${describeParty(call, request.to)} for a${target.isAttended ? 'n' : ''} ${what}`
  const result = results.findLast(({ status }) => status >= 200)
  const base = { where: request.to, arrows: arrowIds(request, final, result?.notify ?? results.at(-1)?.notify) }
  if (result !== undefined && result.status < 300)
    return {
      ...base,
      severity: 'info',
      text: `${sentence(by)}, and it succeeded (${result.title}).`,
      source: 'RFC 3515 §2.4.4, §2.4.5',
    }
  if (result !== undefined)
    return {
      ...base,
      severity: 'warn',
      text: `The ${what} failed with ${result.title}. ${sentence(describeParty(call, request.from))} had asked ${describeParty(call, request.to)} for it.`,
      source: 'RFC 3515 §2.4.4, §2.4.5',
    }
  const why = isWithoutReport(refer)
    ? 'No report of the result was asked for (RFC 4488).'
    : results.some(({ isLast }) => isLast)
      ? 'The reports ended without a result.'
      : 'No result was captured.'
  return {
    ...base,
    severity: 'info',
    text: `${sentence(by)}, which accepted it (${final?.message.title}). ${why}`,
    source: 'RFC 3515 §2.4.2',
  }
}

/**
 * Reports transfers with their result. The response to REFER says only that it was accepted; the result is in the NOTIFY
 * requests. A refused REFER is reported with the other refused requests. RFC 3515 §2.4.
 */
export const transfer: SipRule = (call) => {
  const notifies = requestsNamed(call, 'NOTIFY')
  const seen = new Set<string>()
  const refers = requestsNamed(call, 'REFER').filter((refer) => {
    const { fromTag, number } = refer.request.message
    const isNew = isAnswered(refer) && parseTarget(refer.request).method === '' && !seen.has(`${fromTag} ${number}`)
    seen.add(`${fromTag} ${number}`)
    return isNew
  })
  return refers.map((refer) =>
    describeOutcome(call, refer, findResults(notifies, refer, refers), parseTarget(refer.request)),
  )
}

/** Reports an answered INVITE that takes the place of another dialog, which is hung up then. RFC 3891 §3. */
export const replaced: SipRule = (call) => {
  const { last } = call
  const replaces = last && getHeader(last.request.message, 'replaces')
  if (last?.final === undefined || replaces === undefined || getStatus(last.final) >= 300) return []
  return [
    {
      severity: 'info',
      text: `This call takes the place of the call with the Call-ID ${replaces.split(';', 1)[0]?.trim()}, which is hung up then.`,
      arrows: arrowIds(last.request, last.final),
      source: 'RFC 3891 §3',
    },
  ]
}
