import type { ConversationEvent } from '@patchbay/contract/conversations'
import { findRecognitionEnd } from '../recordings/recognition-end.ts'
import { durationMs, getWait } from '../traces/trace-waits.ts'
import { asRecord, asString, attribute, type Span } from '../traces/traces.ts'

/** Finds what happened between the turns in the spans of the platform and of agent frameworks. Pure. */

interface EventRule {
  kind: ConversationEvent['kind']
  /** Returns the detail of the event, or undefined if the span is none of this kind. */
  describe: (span: Span, parent: Span | undefined) => string | undefined
}

const getText = (span: Span, name: string): string => String(attribute(span, name) ?? '')

const parseObject = (text: string): Record<string, unknown> => {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return {}
  }
}

/** Verbs that connect the caller with another party. */
const transferVerbs = ['dial', 'sip:refer', 'conference', 'dequeue']

const isVerb = ({ name }: Span, verb: string): boolean => name.startsWith(`verb:${verb}{`) || name === `verb:${verb}`

const isTransfer = (span: Span): boolean =>
  span.name === 'send-refer' || transferVerbs.some((verb) => isVerb(span, verb))

/** Attributes with the name of a tool, on spans of agent frameworks. */
const toolNames = [
  'gen_ai.tool.name',
  'lk.function_tool.name',
  'tool.function_name',
  'function_calls.all_names',
] as const
const toolArguments = [
  'gen_ai.tool.call.arguments',
  'lk.function_tool.arguments',
  'lk.pii.function_tool.arguments',
  'tool.arguments',
] as const

/** The result of a transfer that the other side has accepted (202) is in its last NOTIFY (RFC 3515 section 2.4.5). */
const transferDetails = ['refer.finalNotify', 'refer.status_code', 'verb.summary'] as const

const getFirstText = (span: Span, names: readonly string[]): string | undefined =>
  names.map((name) => getText(span, name)).find((text) => text !== '')

/** Pipecat has spans with the name of a function for speech-to-speech models. That of a result is no call. */
const isPipecatCall = (span: Span): boolean =>
  span.name !== toolResult &&
  ['tool.function_name', 'function_calls.all_names'].some((name) => attribute(span, name) !== undefined)
const toolResult = 'llm_tool_result'

const isToolCall = (span: Span): boolean =>
  span.name === 'function_tool' || getText(span, 'gen_ai.operation.name') === 'execute_tool' || isPipecatCall(span)

/** The exceptions of Python and JavaScript in work that its program cancels, such as at an interruption. */
const cancellation = /^(?:[\w.]*\.)?(?:CancelledError|GeneratorExit|AbortError)\b/

/** Returns the error of a span that has failed, or undefined. Canceled work has not failed. */
const getSpanError = ({ error }: Span): string | undefined =>
  error !== undefined && cancellation.test(error) ? undefined : error

/** Returns the message of a failed tool call, or undefined. LiveKit and Pipecat report a failure in an attribute. */
const getToolError = (span: Span): string | undefined => {
  const isFailed =
    getText(span, 'lk.function_tool.is_error') === 'true' || getText(span, 'tool.result_status') === 'error'
  return getSpanError(span) ?? (isFailed ? '' : undefined)
}

/** The first status of HTTP that is an error. */
const minErrorStatus = 400

/** Returns the error of a request to a webhook, or undefined. The platform does not mark its span as failed. */
const getWebhookError = (span: Span): string | undefined => {
  if (getWait(span)?.kind !== 'webhook') return undefined
  const status = Number(attribute(span, 'http.statusCode') ?? attribute(span, 'webhookStatus') ?? 0)
  return status >= minErrorStatus ? `HTTP ${status}` : undefined
}

/** Returns the error of a recognition, or undefined. */
const getRecognitionError = (span: Span): string | undefined => {
  const resolve = getText(span, 'stt.resolve')
  if (findRecognitionEnd(resolve) !== 'failure') return undefined
  const { error, reason } = parseObject(getText(span, 'stt.result'))
  return `Speech recognition: ${asString(error) || asString(reason) || resolve}`
}

/**
 * Returns whether a recognition waits for a response to a prompt: a gather of the application, or the recognition below it.
 * Recognitions in the background, and of a transcription, time out without a prompt.
 */
const isPrompt = (span: Span, parent: Span | undefined): boolean =>
  isVerb(span, 'gather') ||
  (parent !== undefined && isVerb(parent, 'gather') && attribute(parent, 'stt.resolve') === undefined)

/** The first rule that matches a span makes its event. */
const rules: readonly EventRule[] = [
  {
    kind: 'tool_call',
    describe: (span) => (isToolCall(span) ? (getFirstText(span, toolNames) ?? span.name) : undefined),
  },
  { kind: 'error', describe: (span) => (getSpanError(span) === undefined ? undefined : span.error || span.name) },
  { kind: 'error', describe: (span) => getWebhookError(span) ?? getRecognitionError(span) },
  { kind: 'dtmf', describe: (span) => (span.name.startsWith('dtmf:') ? getText(span, 'dtmf') : undefined) },
  {
    kind: 'no_input',
    describe: (span, parent) => (getText(span, 'stt.resolve') === 'timeout' && isPrompt(span, parent) ? '' : undefined),
  },
  // The caller waits in a queue. The platform has no spans of a call that a phone puts on hold.
  {
    kind: 'hold',
    describe: (span) => (isVerb(span, 'enqueue') ? getText(span, 'verb.summary') || span.name : undefined),
  },
  {
    kind: 'transfer',
    describe: (span) => (isTransfer(span) ? (getFirstText(span, transferDetails) ?? span.name) : undefined),
  },
]

/** Longer details are cut, because details can quote bodies and summaries. */
export const maxDetailLength = 500
const maxArgumentsLength = 2000

const getToolMembers = (span: Span): Pick<ConversationEvent, 'arguments' | 'error'> => {
  const error = getToolError(span)?.slice(0, maxDetailLength)
  return {
    arguments: getFirstText(span, toolArguments)?.slice(0, maxArgumentsLength) ?? null,
    ...(error === undefined ? {} : { error }),
  }
}

/**
 * Returns the events of a call in the order of its spans.
 * @param toMs converts nanoseconds since the Unix epoch to milliseconds since the start of the call
 */
export const findEvents = (spans: readonly Span[], toMs: (at: bigint) => number): ConversationEvent[] => {
  const byId = new Map(spans.map((span) => [span.id, span]))
  return spans.flatMap((span) => {
    const parent = span.parent === null ? undefined : byId.get(span.parent)
    for (const { kind, describe } of rules) {
      const detail = describe(span, parent)?.slice(0, maxDetailLength)
      if (detail === undefined) continue
      const duration_ms = Math.round(durationMs(span))
      const members = kind === 'tool_call' ? getToolMembers(span) : { arguments: null }
      return [{ kind, at_ms: toMs(span.start), duration_ms, detail, ...members, span_id: span.id }]
    }
    return []
  })
}
