import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The tenant with the measured requests, while other tenants attack. */
export interface OtherTenant {
  account: string
  /** API keys of the account. They rotate because each key has a rate limit. */
  keys: readonly string[]
}

export interface ProbeResult {
  /** Start of the request, in milliseconds since the Unix epoch. */
  at: number
  milliseconds: number
  /** Status 0 means that there was no response. */
  status: number
  /** Name of the request in overload-probe.ts. */
  name: string
}

export const isSuccess = ({ status }: ProbeResult): boolean => status >= 200 && status < 300

export interface Probe {
  /** Results of all requests so far. */
  results: readonly ProbeResult[]
  stop(): void
}

/** Starts a process that sends the requests of a tenant and measures them until it is stopped. */
export const startProbe = (url: string, { account, keys }: OtherTenant): Probe => {
  const results: ProbeResult[] = []
  const child = fork(fileURLToPath(new URL('overload-probe.ts', import.meta.url)), [url, account, ...keys])
  child.on('message', (result: ProbeResult) => void results.push(result))
  return { results, stop: () => void child.kill() }
}
