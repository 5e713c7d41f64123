/**
 * Another tenant: asks twenty times a second whether the server lives, and for things of its own, and tells its parent
 * how long each answer took.
 */

const [, , url = '', account = '', ...keys] = process.argv

const asked = [
  '/health',
  '/v1/Accounts',
  `/v1/Accounts/${account}`,
  `/v1/Accounts/${account}/RecentCalls?page=1&count=25`,
]

let round = 0

const statusOf = async (path: string, headers: Record<string, string>): Promise<number> => {
  try {
    const answer = await fetch(url + path, { headers, signal: AbortSignal.timeout(30_000) })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    return 0
  }
}

const ask = async (path: string): Promise<void> => {
  const at = Date.now()
  const before = performance.now()
  // A key and an address have a rate of their own, and this must not be about that.
  const caller = round % keys.length
  const status = await statusOf(path, {
    authorization: `Bearer ${keys[caller]}`,
    'x-forwarded-for': `203.0.113.${caller}`,
  })
  if (process.connected) process.send?.({ at, milliseconds: performance.now() - before, status })
}

const timer = setInterval(() => {
  for (const path of asked) void ask(path)
  round += 1
}, 50)

process.once('disconnect', () => clearInterval(timer))
