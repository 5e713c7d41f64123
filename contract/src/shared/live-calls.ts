/** What may be asked of a call that is up, and of a new one (api/1-identity.md §13.2, §13.4; api/4-calls-and-hosted.md §3.1). */

type Members = Readonly<Record<string, unknown>>

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** What a call's status can be, as the platform writes it. */
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

const overStatuses: readonly string[] = ['completed', 'failed', 'busy', 'no-answer']

/** Records of calls that are over stay for an hour. */
export const isOver = (status: string | undefined): boolean => status !== undefined && overStatuses.includes(status)

/** Of which a change says one. */
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
  'boostAudioSignal',
  'media_path',
] as const

const mute = ['mute', 'unmute']

const valuesOf: Readonly<Record<string, readonly string[]>> = {
  call_status: ['completed', 'no-answer'],
  listen_status: ['pause', 'silence', 'resume'],
  conf_hold_status: ['hold', 'unhold'],
  conf_mute_status: mute,
  mute_status: mute,
  media_path: ['no-media', 'partial-media', 'full-media'],
}

const participantActions = ['tag', 'untag', 'coach', 'uncoach', 'mute', 'unmute', 'hold', 'unhold']

/** What a change asks for, by the names of its members. */
export const optionsIn = (change: Members): string[] =>
  [...options, 'whisper'].filter((option) => Boolean(change[option]))

const areAPair = (given: readonly string[], { waitHook }: Members): boolean =>
  given.length === 2 &&
  ((given.includes('call_hook') && given.includes('child_call_hook')) ||
    (given.includes('conf_hold_status') && Boolean(waitHook)))

const listed = (values: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && values.includes(value)

const sipRequestFault = (value: unknown): string | undefined => {
  const { method, content_type, content } = membersOf(value)
  return method && content_type && content
    ? undefined
    : 'sip_request requires method, content_type and content properties'
}

const recordFault = (value: unknown): string | undefined => {
  const { action, siprecServerURL, type } = membersOf(value)
  if (!action) return 'record requires action property'
  return siprecServerURL || type === 'cloud'
    ? undefined
    : 'record requires siprecServerURL property when starting recording'
}

const validateParticipant = (value: unknown): string | undefined => {
  const { action, tag } = membersOf(value)
  if (!listed(participantActions, action))
    return `conferenceParticipantAction invalid action property ${isText(action) ? action.slice(0, 64) : ''}`.trimEnd()
  return (action === 'tag' || action === 'coach') && !tag
    ? `conferenceParticipantAction requires tag property when action is '${action}'`
    : undefined
}

const faultsOf: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  sip_request: sipRequestFault,
  record: recordFault,
  dtmf: (value) => (membersOf(value)['digit'] ? undefined : 'invalid dtmf'),
  tag: (value) => (membersOf(value) === value ? undefined : 'invalid tag data'),
  conferenceParticipantAction: validateParticipant,
}

export interface Fault {
  field?: string
  msg: string
}

/** What is wrong with a change of a call, in the platform's words. */
export const validateCallChange = (change: Members): Fault | undefined => {
  const given = optionsIn(change).filter((option) => option !== 'whisper')
  if (given.length === 0 && !change['whisper']) return { msg: 'no valid options supplied to updateCall' }
  if (given.length > 1 && !areAPair(given, change)) return { msg: 'multiple options are not allowed in updateCall' }
  for (const field of given) {
    const { [field]: values } = valuesOf
    if (values && !listed(values, change[field])) return { field, msg: `invalid ${field}` }
    const msg = faultsOf[field]?.(change[field])
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
  const { type, number, name, sipUri } = membersOf(to)
  if (type === 'phone' || type === 'teams') return isText(number)
  if (type === 'user') return isText(name)
  return type === 'sip' && isText(sipUri)
}

const hookFault = (name: string, hook: unknown): string | undefined => {
  const url = typeof hook === 'string' ? hook : membersOf(hook)['url']
  if (!isText(url)) return `${name} must be string or an object containing a url property`
  return /^(?:http|ws)s?:/.test(url) ? undefined : `${name} url be an absolute url`
}

/** What is wrong with a new call, in the platform's words and order; whose its application is, the server knows. */
export const validateNewCall = (call: Members): Fault | undefined => {
  const { from, to, application_sid, call_hook, call_status_hook } = call
  if (!isText(from)) return { field: 'from', msg: 'missing from parameter' }
  if (!isDestination(to))
    return { field: 'to', msg: `missing or invalid to property: ${(JSON.stringify(to) ?? '').slice(0, 200)}`.trimEnd() }
  // Its hooks and its speech are the application's.
  if (application_sid) return undefined
  if (!speechMembers.every((member) => isText(call[member])))
    return { msg: `either application_sid or set of ${speechMembers.join(', ')} required` }
  if (!call_hook) return { field: 'call_hook', msg: 'either call_hook or application_sid required' }
  const wrong = hookFault('call_hook', call_hook)
  if (wrong) return { field: 'call_hook', msg: wrong }
  const wrongStatus = call_status_hook ? hookFault('call_status_hook', call_status_hook) : undefined
  return wrongStatus ? { field: 'call_status_hook', msg: wrongStatus } : undefined
}

/** What is wrong with a text message that is to be sent. */
export const validateNewMessage = ({ from, to, text, media }: Members): Fault | undefined => {
  if (!from) return { field: 'from', msg: 'missing from property' }
  if (!to) return { field: 'to', msg: 'missing to property' }
  return text || media ? undefined : { field: 'text', msg: 'either text or media required in outbound message' }
}
