import { ApiError } from '@patchbay/contract/api/errors'
import type { Capture } from '@patchbay/contract/call-captures'
import { dayMs } from '@patchbay/contract/shared/durations'
import { asArray, asRecord } from '@patchbay/rules/traces/traces'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import type { HomerAddress } from '../../config/settings/call-data-settings.ts'
import type { CaptureKind, Captures } from './captures.ts'

/**
 * Captured SIP from a Homer 7 server through its API v3
 * (docs/reference/platform-api/traces-and-captures.md#captured-sip).
 */

const maxResponseBytes = 16 * mebibyte
/** Homer does not search further back. */
const maxSearchDays = 7

const tables: Readonly<Record<CaptureKind, string>> = { invite: '1_call', register: '1_registration' }

/** Builds a search for the messages of a Call-ID with these kinds. */
const buildSearch = (sip_callid: string, kinds: readonly CaptureKind[], now: number) => ({
  param: {
    transaction: { call: kinds.includes('invite'), registration: kinds.includes('register'), rest: false },
    orlogic: true,
    search: Object.fromEntries(kinds.map((kind) => [tables[kind], { callid: [sip_callid] }])),
  },
  timestamp: { from: now - maxSearchDays * dayMs, to: now },
})

interface HomerOptions {
  timeoutSeconds?: number
  now?: () => number
}

/** Creates the captures of a Homer 7 server. It has no filters, so callers filter its results. */
export const createHomerCaptures = (
  { base, username, password }: HomerAddress,
  { timeoutSeconds = 15, now = Date.now }: HomerOptions = {},
): Captures => {
  /** Homer's session token. Replaced when Homer rejects it. */
  let token: string | undefined

  /** Rejects if Homer does not respond in time or the response is too large. */
  const post = async (path: string, body: object, signal: AbortSignal, bearer?: string) => {
    const response = await operatorTransport.send(`${base}/api/v3/${path}`, {
      service: 'homer',
      continuesTrace: true,
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

  /** Throws the same error for every reason, which the API returns as 400. */
  const signIn = async (signal: AbortSignal): Promise<string> => {
    try {
      const response = await post('auth', { username, password }, signal)
      const { token: receivedToken } = asRecord(JSON.parse(response.body.toString('utf8')))
      if (response.ok && typeof receivedToken === 'string' && receivedToken !== '') return receivedToken
    } catch (error) {
      throw Object.assign(new ApiError('homer_credentials_rejected'), { cause: error })
    }
    throw new ApiError('homer_credentials_rejected')
  }

  /**
   * Returns the body of a successful response, or undefined for an error status. Signs in again once if the token has
   * expired.
   */
  const request = async (path: string, body: object): Promise<Buffer | undefined> => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    const previousToken = token
    token ??= await signIn(signal)
    try {
      let response = await post(path, body, signal, token)
      if (previousToken !== undefined && [401, 403].includes(response.status)) {
        token = await signIn(signal)
        response = await post(path, body, signal, token)
      }
      return response.ok ? response.body : undefined
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError('captures_unavailable')
    }
  }

  return {
    filters: false,
    async check() {
      token = await signIn(AbortSignal.timeout(timeoutSeconds * 1000))
    },
    async read(sip_callid): Promise<Capture> {
      const bytes = await request('call/transaction', buildSearch(sip_callid, ['invite', 'register'], now()))
      const capture = parseCapture(bytes)
      if (capture === undefined) throw new ApiError('captures_unavailable')
      return capture
    },
    async pcap(sip_callid, kind) {
      const bytes = await request('export/call/messages/pcap', buildSearch(sip_callid, [kind], now()))
      if (bytes === undefined) return undefined
      if (!isPcap(bytes)) throw new ApiError('captures_unavailable')
      return bytes.length > pcapHeaderBytes ? bytes : undefined
    },
  }
}

/** Size of the file header. A pcap file without packets contains nothing else. */
const pcapHeaderBytes = 24

/** First bytes of a pcap file: with times in microseconds or nanoseconds, and in either byte order. */
const pcapMagicNumbers = ['d4c3b2a1', 'a1b2c3d4', '4d3cb2a1', 'a1b23c4d']

/** Returns whether Homer sent a pcap file. Failed exports can be a page or JSON with status 200. */
const isPcap = (bytes: Buffer): boolean =>
  bytes.length >= pcapHeaderBytes && pcapMagicNumbers.includes(bytes.toString('hex', 0, 4))

/**
 * Returns Homer's response unchanged except that missing lists become empty. Returns undefined if it is not a valid
 * response.
 */
const parseCapture = (bytes: Buffer | undefined): Capture | undefined => {
  const response = asRecord(parseJson(bytes))
  const data = asRecord(response['data'])
  const messages = asArray(data['messages'])
  const total = response['total'] ?? messages.length
  if (typeof total !== 'number' || !('data' in response)) return undefined
  const { calldata, hosts, alias } = data
  return {
    ...response,
    total,
    keys: asArray(response['keys']),
    data: { ...data, messages, calldata: asArray(calldata), hosts: asRecord(hosts), alias: asRecord(alias) },
    // The fields of the messages are not validated.
  } as Capture
}

const parseJson = (bytes: Buffer | undefined): unknown => {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '')
  } catch {
    return undefined
  }
}
