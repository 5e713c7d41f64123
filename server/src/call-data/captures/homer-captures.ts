import type { Capture } from '@patchbay/contract/call-captures'
import { ApiError } from '@patchbay/contract/errors'
import { asArray, asRecord } from '@patchbay/contract/shared/traces'
import type { HomerAddress } from '../../config/configuration.ts'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import type { CaptureKind, Captures } from './captures.ts'

/** Captured SIP from a platform's Homer 7, by its API v3 (api/4-calls-and-hosted.md §2.3, §2.4). */

const maxResponseBytes = 16 * mebibyte
const dayMilliseconds = 86_400_000
/** Homer searches no further back. */
const daysBack = 7

const tables: Readonly<Record<CaptureKind, string>> = { invite: '1_call', register: '1_registration' }

/** What is searched for: messages of a Call-ID, of these kinds. */
const question = (sip_callid: string, kinds: readonly CaptureKind[], now: number) => ({
  param: {
    transaction: { call: kinds.includes('invite'), registration: kinds.includes('register'), rest: false },
    orlogic: true,
    search: Object.fromEntries(kinds.map((kind) => [tables[kind], { callid: [sip_callid] }])),
  },
  timestamp: { from: now - daysBack * dayMilliseconds, to: now },
})

interface HomerOptions {
  timeoutSeconds?: number
  now?: () => number
}

export const createHomerCaptures = (
  { base, username, password }: HomerAddress,
  { timeoutSeconds = 15, now = Date.now }: HomerOptions = {},
): Captures => {
  /** Kept while Homer takes it. */
  let token: string | undefined

  /** Rejects if Homer does not respond in time, or with more than it should. */
  const post = async (path: string, body: object, signal: AbortSignal, bearer?: string) => {
    const response = await operatorTransport.send(`${base}/api/v3/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
      signal,
      limits: { maxResponseBytes },
    })
    const { status } = response
    return { status, ok: status >= 200 && status <= 299, body: await readBody(response) }
  }

  /** The wire calls it 400 whatever the reason. */
  const signedIn = async (stop: AbortSignal): Promise<string> => {
    try {
      const answer = await post('auth', { username, password }, stop)
      const { token: given } = asRecord(JSON.parse(answer.body.toString('utf8')))
      if (answer.ok && typeof given === 'string' && given !== '') return given
    } catch {
      // Told below.
    }
    throw new ApiError('homer_lets_nobody_in')
  }

  /** What Homer answers; undefined where it has nothing, or fails. A token that has run out is asked for anew, once. */
  const asked = async (path: string, body: object): Promise<Buffer | undefined> => {
    const stop = AbortSignal.timeout(timeoutSeconds * 1000)
    const held = token
    token ??= await signedIn(stop)
    try {
      let answer = await post(path, body, stop, token)
      if (held !== undefined && [401, 403].includes(answer.status)) {
        token = await signedIn(stop)
        answer = await post(path, body, stop, token)
      }
      return answer.ok ? answer.body : undefined
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError('captures_away')
    }
  }

  return {
    filters: false,
    async read(sip_callid): Promise<Capture> {
      const bytes = await asked('call/transaction', question(sip_callid, ['invite', 'register'], now()))
      const found = readable(bytes)
      if (found === undefined) throw new ApiError('captures_away')
      return found
    },
    async pcap(sip_callid, kind) {
      const bytes = await asked('export/call/messages/pcap', question(sip_callid, [kind], now()))
      return bytes === undefined || bytes.length <= emptyPcap ? undefined : bytes
    },
  }
}

/** Of a file without packets there is only its head. */
const emptyPcap = 24

/** As Homer wrote it; only that its lists are some is made sure of. Undefined for what is no answer. */
const readable = (bytes: Buffer | undefined): Capture | undefined => {
  const whole = asRecord(jsonOf(bytes))
  const data = asRecord(whole['data'])
  const messages = asArray(data['messages'])
  const total = whole['total'] ?? messages.length
  if (typeof total !== 'number' || !('data' in whole)) return undefined
  const { calldata, hosts, alias } = data
  return {
    ...whole,
    total,
    keys: asArray(whole['keys']),
    data: { ...data, messages, calldata: asArray(calldata), hosts: asRecord(hosts), alias: asRecord(alias) },
    // What the messages hold is Homer's.
  } as Capture
}

const jsonOf = (bytes: Buffer | undefined): unknown => {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '')
  } catch {
    return undefined
  }
}
