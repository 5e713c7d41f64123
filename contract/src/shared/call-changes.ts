/**
 * Validation of changes to active calls and of new calls (docs/reference/platform-api/live-calls.md#create-a-call,
 * docs/reference/platform-api/live-calls.md#update-a-call).
 */

type Members = Readonly<Record<string, unknown>>

const toMembers = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Call statuses as written by the platform. */
export const callStatuses = [
  'trying',
  'ringing',
  'early-media',
  'in-progress',
  'completed',
  'failed',
  'busy',
  'no-answer',
  'queued',
] as const
export type CallStatus = (typeof callStatuses)[number]

const finalStatuses: readonly string[] = ['completed', 'failed', 'busy', 'no-answer']

/** Returns whether the call has ended. Records of ended calls are kept for an hour. */
export const isOver = (status: string | undefined): boolean => status !== undefined && finalStatuses.includes(status)

const unansweredStatuses: readonly unknown[] = ['trying', 'ringing', 'early-media']

/** Returns the `call_status` that ends a call. Feature servers complete only answered calls. */
export const getEndStatus = ({ call_status }: { call_status?: string | undefined }): 'completed' | 'no-answer' =>
  unansweredStatuses.includes(call_status) ? 'no-answer' : 'completed'

/** A change must contain exactly one of these options. */
const options = [
  'call_hook',
  'child_call_hook',
  'call_status',
  'listen_status',
  'transcribe_status',
  'conf_hold_status',
  'conf_mute_status',
  'mute_status',
  'sip_request',
  'record',
  'tag',
  'dtmf',
  'conferenceParticipantAction',
  'dub',
  // Options of newer platforms, which validate their values.
  'agent_update',
  'transfer',
  'noise_isolation_status',
  'llm_status',
  'stream_status',
  'room_say',
  'room_play',
  'boostAudioSignal',
  'media_path',
] as const

const mute = ['mute', 'unmute']

const allowedValues: Readonly<Record<string, readonly string[]>> = {
  call_status: ['completed', 'no-answer'],
  listen_status: ['pause', 'silence', 'resume'],
  conf_hold_status: ['hold', 'unhold'],
  conf_mute_status: mute,
  mute_status: mute,
  media_path: ['no-media', 'partial-media', 'full-media'],
}

const participantActions = ['tag', 'untag', 'coach', 'uncoach', 'mute', 'unmute', 'hold', 'unhold']

/** Returns the options that a change contains. */
export const listOptions = (change: Members): string[] =>
  [...options, 'whisper'].filter((option) => Boolean(change[option]))

const isAllowedPair = (requested: readonly string[], { waitHook }: Members): boolean =>
  requested.length === 2 &&
  ((requested.includes('call_hook') && requested.includes('child_call_hook')) ||
    (requested.includes('conf_hold_status') && Boolean(waitHook)))

const isAmong = (values: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && values.includes(value)

const validateSipRequest = (value: unknown): string | undefined => {
  const { method, content_type, content } = toMembers(value)
  return method && content_type && content
    ? undefined
    : 'sip_request requires method, content_type and content properties'
}

const validateRecord = (value: unknown): string | undefined => {
  const { action, siprecServerURL, type } = toMembers(value)
  if (!action) return 'record requires action property'
  return siprecServerURL || type === 'cloud'
    ? undefined
    : 'record requires siprecServerURL property when starting recording'
}

const validateParticipant = (value: unknown): string | undefined => {
  const { action, tag } = toMembers(value)
  if (!isAmong(participantActions, action))
    return `conferenceParticipantAction invalid action property ${isText(action) ? action.slice(0, 64) : ''}`.trimEnd()
  return (action === 'tag' || action === 'coach') && !tag
    ? `conferenceParticipantAction requires tag property when action is '${action}'`
    : undefined
}

const validators: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  sip_request: validateSipRequest,
  record: validateRecord,
  dtmf: (value) => (toMembers(value)['digit'] ? undefined : 'invalid dtmf'),
  tag: (value) => (toMembers(value) === value ? undefined : 'invalid tag data'),
  conferenceParticipantAction: validateParticipant,
}

export interface Fault {
  field?: string
  msg: string
}

/** Returns the error of a change to a call, with the message of the platform's API, or undefined if it is valid. */
export const validateCallChange = (change: Members): Fault | undefined => {
  const requested = listOptions(change).filter((option) => option !== 'whisper')
  if (requested.length === 0 && !change['whisper']) return { msg: 'no valid options supplied to updateCall' }
  if (requested.length > 1 && !isAllowedPair(requested, change))
    return { msg: 'multiple options are not allowed in updateCall' }
  for (const field of requested) {
    const { [field]: values } = allowedValues
    if (values && !isAmong(values, change[field])) return { field, msg: `invalid ${field}` }
    const msg = validators[field]?.(change[field])
    if (msg) return { field, msg }
  }
  return undefined
}

const speechMembers = [
  'speech_synthesis_vendor',
  'speech_synthesis_language',
  'speech_synthesis_voice',
  'speech_recognizer_vendor',
  'speech_recognizer_language',
] as const

const isDestination = (to: unknown): boolean => {
  const { type, number, name, sipUri } = toMembers(to)
  if (type === 'phone' || type === 'teams') return isText(number)
  if (type === 'user') return isText(name)
  return type === 'sip' && isText(sipUri)
}

const validateHook = (name: string, hook: unknown): string | undefined => {
  const url = typeof hook === 'string' ? hook : toMembers(hook)['url']
  if (!isText(url)) return `${name} must be string or an object containing a url property`
  return /^(?:http|ws)s?:/.test(url) ? undefined : `${name} url be an absolute url`
}

/**
 * Returns the first error of a new call, with the messages and the order of checks of the platform's API. The server
 * checks separately who owns the application.
 */
export const validateNewCall = (call: Members): Fault | undefined => {
  const { from, to, application_sid, call_hook, call_status_hook } = call
  if (!isText(from)) return { field: 'from', msg: 'missing from parameter' }
  if (!isDestination(to))
    return { field: 'to', msg: `missing or invalid to property: ${(JSON.stringify(to) ?? '').slice(0, 200)}`.trimEnd() }
  // The application provides the webhooks and the speech settings.
  if (application_sid) return undefined
  if (!speechMembers.every((member) => isText(call[member])))
    return { msg: `either application_sid or set of ${speechMembers.join(', ')} required` }
  if (!call_hook) return { field: 'call_hook', msg: 'either call_hook or application_sid required' }
  const wrong = validateHook('call_hook', call_hook)
  if (wrong) return { field: 'call_hook', msg: wrong }
  const wrongStatus = call_status_hook ? validateHook('call_status_hook', call_status_hook) : undefined
  return wrongStatus ? { field: 'call_status_hook', msg: wrongStatus } : undefined
}

/** Returns the error of an outgoing text message, or undefined if it is valid. */
export const validateNewMessage = ({ from, to, text, media }: Members): Fault | undefined => {
  if (!from) return { field: 'from', msg: 'missing from property' }
  if (!to) return { field: 'to', msg: 'missing to property' }
  return text || media ? undefined : { field: 'text', msg: 'either text or media required in outbound message' }
}
