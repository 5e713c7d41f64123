import type { Capture, CapturedMessage } from '@patchbay/contract/call-captures'
import type { CallReport } from '@patchbay/contract/call-reports'
import type { Call } from '@patchbay/contract/recent-calls'
import type { ReportChoices } from '@patchbay/contract/shared/call-report-choices'
import { explainSip } from '@patchbay/rules/call-verdict/sip-rules'
import { collectLegs } from '@patchbay/rules/calls/call-legs'
import { nameLegs, selectLegs, toShownLegs } from '@patchbay/rules/sip/captured-legs'
import { analyzeCaptures } from '@patchbay/rules/sip/findings/findings'
import { createSipMasker } from '@patchbay/rules/sip/masking/mask-message'
import type { Calls } from '../calls/calls.ts'
import { findClaim, isClaimed } from '../calls/claims.ts'
import { findLegs } from '../calls/legs.ts'
import type { CallOwner } from '../calls/search-options.ts'
import { readFiltered } from '../captures/capture-filter.ts'
import type { Captures } from '../captures/captures.ts'
import type { Datagram } from '../captures/pcap.ts'
import { buildReport } from './build-report.ts'
import { maskDatagrams } from './mask-datagrams.ts'

/** Reads the record, the legs, and the captured SIP of a call, and masks them for people outside the tenant. */

/** Larger captures are cut. A report is read by people, and masking takes processor time. */
const maxMessages = 500
const maxCharacters = 2_000_000

/** Returns the first messages of a capture that fit into a budget, and subtracts them from it. */
const limitCapture = (capture: Capture, budget: { messages: number; characters: number }): Capture => {
  const messages: CapturedMessage[] = []
  for (const message of capture.data.messages) {
    if (budget.messages === 0 || budget.characters < message.raw.length) break
    budget.messages -= 1
    budget.characters -= message.raw.length
    messages.push(message)
  }
  if (messages.length === capture.data.messages.length) return capture
  return { ...capture, total: messages.length, is_cut: true, cut_at: 'end', data: { ...capture.data, messages } }
}

export interface ReportSources {
  calls: Calls
  captures: Captures
}

export interface RequestedCall {
  account_sid: string
  account_name: string
  sip_callid: string
}

const readOwn = async ({ calls, captures }: ReportSources, owner: CallOwner, sip_callid: string) => {
  const claim = await findClaim(calls, owner, sip_callid)
  if (claim === undefined) return undefined
  const includes = (_kind: string, atMicroseconds: number) => isClaimed(claim, atMicroseconds / 1000)
  return readFiltered(captures, sip_callid, { kinds: ['invite'], includes })
}

export interface ReadReport {
  report: CallReport
  /** Masked packets. */
  datagrams: readonly Datagram[]
}

/** Returns the record with this Call-ID: of several, the last one. */
const findRecord = (legs: readonly Call[], sip_callid: string): Call | undefined =>
  legs.findLast((leg) => leg.sip_callid === sip_callid)

/**
 * Returns the report about a call of an account. Returns `no call` if the account has no call with this Call-ID, and `no
 * SIP` if nothing of it was captured.
 */
export const readReport = async (
  sources: ReportSources,
  { account_sid, account_name, sip_callid }: RequestedCall,
  { legs, ...masking }: ReportChoices,
): Promise<ReadReport | 'no call' | 'no SIP'> => {
  const owner = { account_sid }
  const allLegs = await findLegs(sources.calls, owner, sip_callid)
  const call = findRecord(allLegs, sip_callid)
  if (call === undefined) return 'no call'
  const related = collectLegs(call, allLegs)
  const allShownLegs = toShownLegs(call, related, (number) => number)
  // A leg that is not read is in no part of the report: neither in its verdict nor in its packets.
  const chosen =
    legs === 'one' ? allShownLegs.filter((leg) => leg.sip_callid === sip_callid) : selectLegs(allShownLegs, sip_callid)
  const budget = { messages: maxMessages, characters: maxCharacters }
  const captures: { capture?: Capture }[] = []
  for (const leg of chosen) {
    const capture = await readOwn(sources, owner, leg.sip_callid)
    captures.push(capture === undefined ? {} : { capture: limitCapture(capture, budget) })
  }
  const named = nameLegs(chosen, captures)
  if (named.length === 0) return 'no SIP'
  const messages = named.flatMap(({ capture }) => capture.data.messages)
  const masker = createSipMasker(
    masking,
    messages.map(({ raw }) => raw),
    {
      users: related.flatMap(({ from, to }) => [from ?? '', to ?? '']),
      addresses: messages.flatMap(({ srcIp, dstIp }) => [srcIp, dstIp]),
    },
  )
  const analyzed = analyzeCaptures(named)
  const evidence = explainSip(call, analyzed)
  const report = buildReport({ account_name, call, related, named, analyzed, evidence, masking, masker })
  return { report, datagrams: maskDatagrams(messages, masker) }
}
