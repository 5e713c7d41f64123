import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The tenant whose requests are measured while others attack. */
export interface OtherTenant {
  account: string
  /** API keys of the account, used in turn because each has a rate limit */
  keys: readonly string[]
}

export interface ProbeResult {
  /** when the request was sent, epoch milliseconds */
  at: number
  milliseconds: number
  /** 0 if there was no response */
  status: number
  /** of the request, as flood-probe.ts names it */
  name: string
}

export const isSuccess = ({ status }: ProbeResult): boolean => status >= 200 && status < 300

export interface Probe {
  /** of all requests so far */
  results: readonly ProbeResult[]
  stop(): void
}

/** Starts a process that sends the requests of a tenant and measures them until it is stopped. */
export const startProbe = (url: string, { account, keys }: OtherTenant): Probe => {
  const results: ProbeResult[] = []
  const child = fork(fileURLToPath(new URL('flood-probe.ts', import.meta.url)), [url, account, ...keys])
  child.on('message', (result: ProbeResult) => void results.push(result))
  return { results, stop: () => void child.kill() }
}
