import type { Call } from '@patchbay/contract/recent-calls'
import { formatStatus } from '../sip/statuses.ts'
import { durationMs, summarizeWaits, type WaitKind } from '../traces/trace-waits.ts'
import { attribute, type Span } from '../traces/traces.ts'
import { type CallEvidence, isAmbiguousStatus, isOrdinaryStatus, isOutbound, strengths } from './evidence.ts'

/** Rules for the trace of a call: failed webhooks, vendors, and outbound legs, and long waits. Pure. */

const isHook = ({ name }: Span): boolean => name === 'performAppWebhook' || name.startsWith('verb:hook')

const textAttribute = (span: Span, name: string): string => {
  const value = attribute(span, name)
  return typeof value === 'string' ? value : ''
}

const base = { source: 'trace', isProblem: true } as const

const explainHook = (call: Call, span: Span): CallEvidence[] => {
  const status = Number(attribute(span, 'http.statusCode') ?? 0)
  if (span.error === undefined && status < 400) return []
  const reason = status >= 400 ? `responded with ${status}` : 'failed'
  const detail = [textAttribute(span, 'hook.url'), span.error].filter(Boolean).join(': ')
  return [
    {
      ...base,
      side: 'application',
      title: `The application webhook ${reason}.`,
      detail: detail || undefined,
      next: 'Test the webhook of the application, and check the logs of its server.',
      strength: isOutbound(call) ? strengths.context : strengths.webhookSpan,
    },
  ]
}

const explainSpeech = (span: Span): CallEvidence[] => {
  const isSynthesis = span.name === 'tts-generation'
  const isDisconnected = attribute(span, 'stt.resolve') === 'connection failure'
  if (!isDisconnected && !(span.error !== undefined && (isSynthesis || span.name.startsWith('stt-listen')))) return []
  const vendor = textAttribute(span, isSynthesis ? 'tts.vendor' : 'stt.vendor')
  const service = isSynthesis ? 'speech synthesis' : 'speech recognition'
  return [
    {
      ...base,
      side: 'speech-vendor',
      title: `The ${service}${vendor === '' ? '' : ` of ${vendor}`} ${isDisconnected ? 'could not be reached' : 'failed'}.`,
      detail: span.error || undefined,
      next: 'Test the speech service, and check your quota at the vendor.',
      strength: strengths.span,
    },
  ]
}

/** Explains an outbound leg that an application dialed. Its own record says more. */
const explainInvite = (span: Span): CallEvidence[] => {
  const status = Number(attribute(span, 'invite.status_code') ?? 0)
  if (span.name !== 'invite' || status < 400 || isOrdinaryStatus(status)) return []
  return [
    {
      ...base,
      side: isAmbiguousStatus(status) ? 'unknown' : 'carrier',
      title: `An outbound leg of the call failed with ${formatStatus(status)}.`,
      next: 'Open the record of that leg.',
      strength: strengths.context,
    },
  ]
}

const explainOther = (span: Span): CallEvidence[] =>
  span.error === undefined
    ? []
    : [
        {
          ...base,
          side: 'unknown',
          title: `A step of the call failed: ${span.name.slice(0, 60)}.`,
          detail: span.error || undefined,
          next: 'Open the span for its attributes.',
          strength: strengths.span,
        },
      ]

const explainSpan = (call: Call, span: Span): CallEvidence[] => {
  const explained = isHook(span) ? explainHook(call, span) : [...explainSpeech(span), ...explainInvite(span)]
  return explained.length > 0 || isHook(span) ? explained : explainOther(span)
}

/** Callers perceive a wait of this length as a failure. */
const longWaitMs = 5000

const waitCauses: Readonly<Record<WaitKind, Pick<CallEvidence, 'side' | 'next'> & { reason: string }>> = {
  webhook: {
    side: 'application',
    reason: 'the application webhook',
    next: 'Check the response times of your server.',
  },
  synthesis: {
    side: 'speech-vendor',
    reason: 'speech synthesis',
    next: 'Test the speech service, or choose a faster voice.',
  },
  recognition: {
    side: 'speech-vendor',
    reason: 'speech recognition',
    next: 'Test the speech service, or choose a faster model.',
  },
}

/** Explains a long wait. A caller who hangs up during the first webhook request hangs up because of it. */
const explainWait = (call: Call, spans: readonly Span[]): CallEvidence[] => {
  const { longest } = summarizeWaits(spans)
  if (longest === undefined || longest.milliseconds < longWaitMs) return []
  const { side, reason, next } = waitCauses[longest.kind]
  const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`
  const isAbandoned = !call.answered && (call.sip_status === 487 || call.termination_reason === 'caller abandoned')
  const isCause = isAbandoned && !isOutbound(call) && longest.kind === 'webhook'
  return [
    {
      ...base,
      side,
      title: isCause
        ? `The caller hung up while ${reason} took ${formatSeconds(durationMs(longest.span))}.`
        : `The caller waited ${formatSeconds(longest.milliseconds)} for ${reason}.`,
      next,
      strength: isCause ? strengths.provenCause : strengths.context,
    },
  ]
}

/** Returns the evidence of a trace, one per kind of failure. */
export const explainTrace = (call: Call, spans: readonly Span[]): CallEvidence[] => {
  const byTitle = new Map<string, CallEvidence>()
  for (const one of [...spans.flatMap((span) => explainSpan(call, span)), ...explainWait(call, spans)])
    if (!byTitle.has(one.title)) byTitle.set(one.title, one)
  return [...byTitle.values()]
}
