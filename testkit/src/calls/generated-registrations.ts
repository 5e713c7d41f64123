import { CallRecorder, type Host } from './generated-calls.ts'

/** Writes registrations (RFC 3261 §10) that are valid but for one fault at most. */

export const registrationErrors = ['refused', 'wrong password', 'no credentials', 'not answered', 'not kept'] as const
export type RegistrationError = (typeof registrationErrors)[number]

export interface RegistrationOptions {
  authentication: 'none' | 'challenge' | 'stale' | 'renewed'
  /** The registrar asks for a longer expiry first (RFC 3261 §10.2.8). */
  isTooBrief: boolean
  /** Another device of the user is registered, too. */
  hasOtherDevice: boolean
  /** The client registers so often. */
  rounds: number
  /** The client removes its binding at the end (RFC 3261 §10.2.2). */
  isRemoved: boolean
  fault?: RegistrationError
}

const client: Host = { address: '203.0.113.7', port: 5060, tag: 'trunk' }
const registrar: Host = { address: '198.51.100.1', port: 5060, tag: 'registrar' }

const challenge = (nonce: string, more = ''): string =>
  `WWW-Authenticate: Digest realm="flows.example", nonce="${nonce}"${more}`
const credentials = (nonce: string): string =>
  `Authorization: Digest username="u", realm="flows.example", nonce="${nonce}", uri="sip:x", response="00"`

/** Records a registration. */
export const recordRegistration = (callId: string, options: RegistrationOptions): CallRecorder => {
  const { authentication, isTooBrief, hasOtherDevice, rounds, isRemoved, fault } = options
  const recorder = new CallRecorder(callId, () => ({ agent: 2001, offset: 0 }))
  let cseq = 0
  const contact = (seconds: number): string => `Contact: <sip:trunk@203.0.113.7:5060>;expires=${seconds}`
  const send = (seconds: number, headers: readonly string[] = [], more = {}) =>
    recorder.request('REGISTER', (cseq += 1), [client, registrar], {
      headers: [contact(seconds), ...headers],
      ...more,
    })
  const refuse = (status: string, seconds: number, challenges: readonly string[], headers: readonly string[] = []) =>
    recorder.respond(send(seconds, headers), status, { headers: challenges })
  const accept = (seconds: number, headers: readonly string[]) => {
    const others = hasOtherDevice ? ['Contact: <sip:trunk@192.0.2.9:5062>;expires=60'] : []
    const own = seconds === 0 ? [] : [contact(fault === 'not kept' ? 0 : seconds)]
    recorder.respond(send(seconds, headers), '200 OK', { headers: [...others, ...own] })
  }
  /** Returns the headers of the REGISTER that is taken. */
  const authenticate = (): readonly string[] => {
    if (authentication === 'none') return []
    const first = authentication === 'renewed' ? [credentials('kept')] : []
    refuse('401 Unauthorized', 300, [challenge('n1')], first)
    if (authentication !== 'stale') return [credentials('n1')]
    refuse('401 Unauthorized', 300, [challenge('n2', ', stale=true')], [credentials('n1')])
    return [credentials('n2')]
  }
  switch (fault) {
    case 'not answered':
      send(300, [], { copies: [0.5, 1.5, 3.5] })
      recorder.wait(32)
      return recorder
    case 'refused':
      refuse('403 Forbidden', 300, [], authenticate())
      return recorder
    case 'no credentials':
    case 'wrong password':
      refuse('401 Unauthorized', 300, [challenge('n1')])
      if (fault === 'wrong password') refuse('401 Unauthorized', 300, [challenge('n2')], [credentials('n1')])
      return recorder
    default:
      break
  }
  const authorization = authenticate()
  if (isTooBrief) refuse('423 Interval Too Brief', 60, ['Min-Expires: 300'], authorization)
  for (let round = 0; round < rounds; round += 1) {
    accept(300, authorization)
    recorder.wait(150)
  }
  if (isRemoved && fault === undefined) accept(0, authorization)
  return recorder
}
