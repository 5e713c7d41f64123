import {
  type ClaimedIdentity,
  compareNumbers,
  parseIdentities,
  parseStatedVerifications,
  type StatedVerification,
} from '../identity.ts'
import type { ParsedArrow } from '../ladder.ts'
import { findNetworkBlock } from '../network-block.ts'
import { formatReasons, parseReasons } from '../reasons.ts'
import { describeParty, isInitialInvite, type SipCall } from '../transactions.ts'
import { arrowIds, type SipFinding, type SipRule, sentence } from './rule.ts'

/** Findings about signed calling numbers. All are notes: nothing is verified here. Pure. */

const levels = {
  A: 'the signer knows its customer and the right to the number',
  B: 'the signer knows its customer, but not the right to the number',
  C: 'the signer knows neither, as is normal for calls from abroad',
} as const

const types: Readonly<Record<string, string>> = {
  shaken: 'the calling number',
  div: 'a diversion',
  rcd: 'the name of the caller',
  rph: 'the priority of the call',
}

/** A verifier usually accepts signatures of this age (RFC 8224 §6.2.2). */
const usualMaxAgeSeconds = 60

const formatDuration = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`
  const hours = seconds / 3600
  if (hours < 2) return `${Math.round(seconds / 60)} min`
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}

const describeAge = (issuedAt: number, { at }: ParsedArrow): string => {
  const age = at / 1e6 - issuedAt
  if (age < -1) return `dated ${formatDuration(-age)} after it arrived, by another clock`
  const old = age > usualMaxAgeSeconds ? `, and verifiers usually accept ${usualMaxAgeSeconds} s` : ''
  return `signed ${formatDuration(Math.max(age, 0))} before it arrived${old}`
}

const describeNumbers = (arrow: ParsedArrow, identity: ClaimedIdentity): string[] => {
  const { calling, called, diverted } = identity
  const { isCallingSigned, isCalledSigned } = compareNumbers(arrow.message, identity)
  return [
    ...(isCallingSigned === false
      ? [`It signs the calling number ${calling}, which is not the one in From or P-Asserted-Identity.`]
      : []),
    ...(isCalledSigned === false
      ? [`It signs the called number ${called.join(', ')}, which is not the one in To.`]
      : []),
    ...(diverted === undefined ? [] : [`It claims that ${diverted} diverted the call.`]),
  ]
}

const describeClaims = (arrow: ParsedArrow, identity: ClaimedIdentity): string => {
  const { type, isCompact, isReadable, attestation, origination, issuedAt, certificateHost, callerName, callReason } =
    identity
  const what = Object.hasOwn(types, type)
    ? types[type]
    : type === ''
      ? 'an unknown claim'
      : `a claim of the type ${type}`
  const by = certificateHost === undefined ? '' : `, with a certificate of ${certificateHost}`
  if (isCompact) return `The request has a signature for ${what}${by}, without its claims.`
  if (!isReadable) return `The request has an Identity header for ${what}${by} that cannot be decoded.`
  return [
    `The request has a signature for ${what}${by}${issuedAt === undefined ? '' : `, ${describeAge(issuedAt, arrow)}`}.`,
    ...(attestation === undefined ? [] : [`Claimed attestation: ${attestation} (${levels[attestation]}).`]),
    ...(origination === undefined ? [] : [`Origination identifier: ${origination}.`]),
    ...(callerName === undefined ? [] : [`Claimed name of the caller: ${callerName}.`]),
    ...(callReason === undefined ? [] : [`Claimed reason of the call: ${callReason}.`]),
    ...describeNumbers(arrow, identity),
  ].join(' ')
}

const results = {
  passed: 'it verified the calling number',
  failed: 'the verification of the calling number failed',
  none: 'it did not verify the calling number',
} as const

const describeStatement = (call: SipCall, { from }: ParsedArrow, stated: StatedVerification): string => {
  const { header, result, attestation, text } = stated
  const level = attestation === undefined ? '' : `, level ${attestation}`
  const says = result === undefined ? `"${text}" about the calling number` : `that ${results[result]}${level}`
  return `${sentence(describeParty(call, from))} states in ${header} ${says}. This is the word of that host, and is not verified here.`
}

/** Reports the claims about the calling number, and what a host says about them. RFC 8224, RFC 8588. */
export const callerIdentity: SipRule = (call) => {
  const seen = new Set<string>()
  const isNew = (key: string): boolean => seen.size < seen.add(key).size
  const invites = call.transactions.filter(isInitialInvite).map(({ request }) => request)
  return invites.flatMap((arrow): SipFinding[] => {
    const claims = parseIdentities(arrow.message).filter(({ token }) => isNew(token))
    const stated = parseStatedVerifications(arrow.message).filter(({ header, text }) => isNew(`${header} ${text}`))
    return [
      ...claims.map((identity) => ({
        text: `${describeClaims(arrow, identity)} These are claims, and are not verified here.`,
        source: identity.attestation === undefined ? 'RFC 8224 §4' : 'RFC 8588 §4',
      })),
      ...stated.map((one) => ({ text: describeStatement(call, arrow, one), source: '3GPP TS 24.229 §7.2A.20' })),
    ].map((one) => ({ ...one, severity: 'info', arrows: arrowIds(arrow) }))
  })
}

/** Reports a problem with a signature that did not end the call. RFC 9410 §4. */
export const identityProblem: SipRule = (call) =>
  call.transactions.filter(isInitialInvite).flatMap(({ answers }): SipFinding[] => {
    const answer = answers.find(
      ({ message }) => (message.status ?? 0) < 300 && parseReasons(message).some(({ protocol }) => protocol === 'STIR'),
    )
    if (answer === undefined) return []
    const reasons = parseReasons(answer.message).filter(({ protocol }) => protocol === 'STIR')
    return [
      {
        severity: 'info',
        text: `${sentence(describeParty(call, answer.from))} could not verify the calling number, and did not reject the call.${formatReasons(reasons, { headers: [] })}`,
        arrows: arrowIds(answer),
        source: 'RFC 9410 §4',
      },
    ]
  })

/** Reports that a blocked call had no full attestation, which makes blocks more likely. RFC 8588 §4. */
export const blockedWithoutAttestation: SipRule = (call) => {
  const { last } = call
  const block = last?.final === undefined ? undefined : findNetworkBlock(last.final.message)
  if (last === undefined || block === undefined || block.kind === 'unwanted') return []
  const invites = call.transactions.filter(isInitialInvite).map(({ request }) => request)
  const claims = invites.flatMap(({ message }) => parseIdentities(message))
  if (claims.some(({ attestation, isReadable }) => attestation === 'A' || !isReadable)) return []
  const level = claims.find(({ attestation }) => attestation !== undefined)?.attestation
  return [
    {
      severity: 'info',
      text:
        level === undefined
          ? 'No signature of the calling number was captured. Most carriers sign calls themselves: ask yours which attestation it gives to this number.'
          : `The blocked call claimed only attestation ${level}. Networks block such calls more often: ask the carrier what it needs to attest A.`,
      arrows: arrowIds(last.request),
      source: 'RFC 8588 §4',
    },
  ]
}
