import type { Conversation, ConversationEvent, GapPart, Turn } from '@patchbay/contract/conversations'
import { maskedDigit } from '@patchbay/contract/shared/masking-limits'
import { numberDigits } from '@patchbay/rules/phone-number/format'

/** The part of a call that people without a user may see. Pure. */

const toPublicPart = (part: GapPart): GapPart => ({ ...part, source: null, span_id: null })

const toPublicTurn = (turn: Turn): Turn => ({
  ...turn,
  gap: turn.gap && { ...turn.gap, parts: turn.gap.parts.map(toPublicPart) },
  vendor: null,
  model: null,
  tokens: null,
  span_id: null,
})

/** Details of other kinds can contain phone numbers, SIP addresses, URLs of webhooks, and messages of vendors. */
const getPublicDetail = ({ kind, detail }: ConversationEvent): string => {
  if (kind === 'tool_call') return detail
  if (kind === 'backchannel') return detail
  // Callers press the digits of cards, PINs, and customer numbers.
  return kind === 'dtmf' ? maskedDigit : ''
}

const toPublicEvent = (event: ConversationEvent): ConversationEvent => ({
  ...event,
  detail: getPublicDetail(event),
  arguments: null,
  ...(event.error === undefined ? {} : { error: '' }),
  span_id: null,
})

/** Returns what was said and when, without names of services, vendors, and models, and without IDs and addresses. */
export const toPublicConversation = (conversation: Conversation, hasRecording: boolean): Conversation => ({
  ...conversation,
  sources: [],
  recording: hasRecording ? conversation.recording : null,
  turns: conversation.turns.map(toPublicTurn),
  events: conversation.events.map(toPublicEvent),
  other_steps: [],
})

/** Shorter numbers are extensions, of which four digits would be the whole number. */
const minDigits = 7

/** Returns the last four digits of a phone number, or null if it is too short or no phone number. */
export const getLastDigits = (number: string | null): string | null => {
  const digits = number === null ? undefined : numberDigits(number)
  return digits === undefined || digits.length < minDigits ? null : digits.slice(-4)
}
