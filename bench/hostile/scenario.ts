import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { callApi, getBody, getText } from '@patchbay/testkit/crash/durability-ledger'
import type { RunningServer } from '@patchbay/testkit/servers/server-process'

/** Credentials of feature servers that send recordings. */
export const recordCredentials = { username: 'recorder', password: 'a password for benchmarks only' }

/** The server under attack, and a user of the service provider that the attackers' accounts belong to. */
export interface Target {
  server: RunningServer
  token: string
  /** An API key of an administrator, who can create further service providers. */
  adminKey: string
  provider: string
}

export interface Attack {
  /**
   * Attacks until `signal` aborts. Returns the observations of the attackers and their victims, for the last column.
   */
  run(signal: AbortSignal): Promise<string>
  stop(): unknown
}

export interface Scenario {
  name: string
  /** Starts the hostile peers and creates what they need. None of this is measured, except for memory. */
  prepare(target: Target): Promise<Attack>
}

type Method = 'GET' | 'POST' | 'PUT'

/** @throws Error if the response is not a success */
export const request = async (
  { server, token }: Target,
  method: Method,
  path: string,
  body?: object,
): Promise<unknown> => getBody(await callApi(server, token, method, path, body))

/** Returns the sid of what was created. */
export const create = async (target: Target, path: string, body: object): Promise<string> =>
  getText(await request(target, 'POST', path, body), 'sid')

export const createAccount = async (target: Target, bucket_credential?: object): Promise<string> => {
  const account = { name: randomUUID(), service_provider_sid: target.provider, record_format: 'wav' }
  const sid = await create(target, '/Accounts', account)
  if (bucket_credential) await request(target, 'PUT', `/Accounts/${sid}`, { bucket_credential })
  return sid
}

/** Returns an API key of an account, as what authenticates the target's requests. */
export const asAccount = async (target: Target, account_sid: string): Promise<Target> => ({
  ...target,
  token: getText(await request(target, 'POST', '/ApiKeys', { account_sid }), 'token'),
})

/** Runs `concurrency` loops of some work until `signal` aborts. The work receives the number of its run. */
export const repeat = async (
  signal: AbortSignal,
  concurrency: number,
  work: (run: number) => Promise<unknown>,
): Promise<void> => {
  let runs = 0
  const loop = async () => {
    while (!signal.aborted) await work(runs++)
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
}

/** Waits; returns early if `signal` aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined)

/** Counts responses by status. Requests that failed or were aborted count as status 0. */
export interface StatusCounts {
  send(url: string, init: RequestInit): Promise<number>
  toString(): string
}

export const formatCounts = (counts: ReadonlyMap<number, number>): string =>
  [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`)
    .join(', ')

/** Sends a request, and reads the response. Returns its status, or 0 if the request failed or was aborted. */
export const fetchStatus = async (url: string, init: RequestInit): Promise<number> => {
  try {
    const response = await fetch(url, init)
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

export const createStatusCounts = (): StatusCounts => {
  const counts = new Map<number, number>()
  return {
    async send(url, init) {
      const status = await fetchStatus(url, init)
      counts.set(status, (counts.get(status) ?? 0) + 1)
      return status
    },
    toString: () => formatCounts(counts),
  }
}

/** An attack that posts gzipped bodies to an intake, eight at a time, from the first one to the last and again. */
export const postRepeatedly = (url: string, type: string, bodies: readonly Buffer<ArrayBuffer>[]): Attack => ({
  async run(signal) {
    const counts = createStatusCounts()
    const headers = { 'content-type': type, 'content-encoding': 'gzip' }
    await repeat(signal, 8, (run) =>
      counts.send(url, { method: 'POST', headers, body: bodies[run % bodies.length] ?? null, signal }),
    )
    return counts.toString()
  },
  stop() {},
})
