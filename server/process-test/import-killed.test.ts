import { sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** A batch of phone numbers is stored completely or not at all if the server is killed. */

const rowsOfBatch = 400
const password = 'Pass-of-the-k1ll'

interface Sent {
  sid: string
}

test('a server killed during an import has stored complete batches only, and all that it acknowledged', async () => {
  const store = sqliteStore()
  const first = await startServer(store.settings)
  const begin = await callApi(first, '', 'POST', '/login', { username: 'admin', password: first.firstPassword })
  const { token, user_sid } = begin.body as { token: string; user_sid: string }
  const change = { old_password: first.firstPassword, new_password: password }
  await callApi(first, token, 'PUT', `/Users/${user_sid}`, change)
  const make = async (path: string, body: object) =>
    ((await callApi(first, token, 'POST', path, body)).body as Sent).sid
  const service_provider_sid = await make('/ServiceProviders', { name: 'killed' })
  const account = await make('/Accounts', { name: 'killed', service_provider_sid })
  const carrier = await make('/VoipCarriers', { name: 'killed', service_provider_sid })

  let acknowledged = 0
  const send = async (nth: number) => {
    const rows = Array.from({ length: rowsOfBatch }, (_, row) => ({
      number: `${1_000_000 + nth * rowsOfBatch + row}`,
      carrier,
      account,
    }))
    const body = { service_provider_sid, dry_run: false, rows }
    const { status } = await callApi(first, token, 'POST', '/patchbay/phone-numbers/import', body)
    if (status !== 200) return
    acknowledged += 1
    // The other batches are waiting or being written.
    if (acknowledged === 3) await first.kill()
  }
  await Promise.allSettled(Array.from({ length: 12 }, (_, nth) => send(nth)))

  const again = await startServer(store.settings)
  try {
    const session = await callApi(again, '', 'POST', '/login', { username: 'admin', password })
    const answer = await callApi(
      again,
      (session.body as { token: string }).token,
      'GET',
      `/PhoneNumbers?account_sid=${account}`,
    )
    const countByBatch = new Map<number, number>()
    for (const { number } of answer.body as { number: string }[]) {
      const batch = Math.floor((Number(number) - 1_000_000) / rowsOfBatch)
      countByBatch.set(batch, (countByBatch.get(batch) ?? 0) + 1)
    }
    expect([...countByBatch.values()].every((count) => count === rowsOfBatch)).toBe(true)
    expect(countByBatch.size).toBeGreaterThanOrEqual(acknowledged)
    expect(acknowledged).toBeGreaterThanOrEqual(3)
    expect(await store.damage()).toEqual([])
  } finally {
    await again.stop()
    store.remove()
  }
})
