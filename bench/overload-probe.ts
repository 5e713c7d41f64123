/**
 * The client of another tenant, as a process of its own: 20 times a second it requests /health, lists, one account, and
 * recent calls, and changes that account. It reports the duration of each request to its parent process.
 */

const [, , url = '', account = '', ...keys] = process.argv

const intervalMs = 50
const timeoutMs = 30_000

const accountPath = `/v1/Accounts/${account}`
const reads = {
  health: '/health',
  accounts: '/v1/Accounts',
  account: accountPath,
  calls: `${accountPath}/RecentCalls?page=1&count=25`,
}

let round = 0

const send = async (path: string, init: RequestInit): Promise<number> => {
  try {
    const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(timeoutMs) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

const measure = async (name: string, path: string, change?: object): Promise<void> => {
  const at = Date.now()
  const before = performance.now()
  // The probe rotates API keys and addresses to avoid rate limits, which are not the subject of this measurement.
  const caller = round % keys.length
  const status = await send(path, {
    headers: {
      authorization: `Bearer ${keys[caller]}`,
      'content-type': 'application/json',
      'x-forwarded-for': `203.0.113.${caller}`,
    },
    ...(change === undefined ? {} : { method: 'PUT', body: JSON.stringify(change) }),
  })
  const milliseconds = performance.now() - before
  if (process.connected) process.send?.({ at, milliseconds, status, name })
}

const timer = setInterval(() => {
  for (const [name, path] of Object.entries(reads)) void measure(name, path)
  void measure('write', accountPath, { name: `other tenant ${round}` })
  round += 1
}, intervalMs)

process.once('disconnect', () => clearInterval(timer))
