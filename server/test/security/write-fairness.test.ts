import { openTestWorld } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

/** Writes: many writes of a caller delay only that caller. */

const { api, world } = await openTestWorld()

test('five hundred writes with one key do not delay others, and excess ones are rejected immediately', async () => {
  const { sid, keys } = world
  let written = 0
  const write = async (index: number) => {
    const answer = await api.as(keys['key of A'].token).put(`/Accounts/${sid.A}`, { name: `written ${index}` })
    if (answer.status === 204) written += 1
    return answer
  }
  const flood = Array.from({ length: 500 }, (_, index) => write(index))
  const other = async (path: string) => {
    const { status } = await api.as(keys['key of B'].token).get(path)
    return { status, before: written }
  }
  const reads = await Promise.all(['/Accounts', `/Accounts/${sid.B}`].map(other))
  for (const { status, before } of reads) {
    expect(status).toBe(200)
    expect(before).toBeLessThan(100)
  }
  const refused = (await Promise.all(flood)).filter(({ status }) => status !== 204)
  expect(refused.length).toBeGreaterThan(100)
  for (const { status, body, headers } of refused) {
    expect([status, headers['retry-after']]).toEqual([429, '1'])
    expect(body).toMatchObject({ code: 'too_many_concurrent_requests' })
  }
  expect(written).toBeGreaterThanOrEqual(100)
})

test('other work runs between two writes', async () => {
  const { sid, keys } = world
  let rounds = 0
  let writing = true
  const count = () => {
    rounds += 1
    if (writing) setImmediate(count)
  }
  setImmediate(count)
  const writes = Array.from({ length: 90 }, () =>
    api.services.write('patchbay', ({ trx }) =>
      trx.updateTable('accounts').set({ device_to_call_ratio: 1 }).where('account_sid', '=', sid.A).execute(),
    ),
  )
  await Promise.all(writes)
  writing = false
  expect(rounds).toBeGreaterThanOrEqual(writes.length / 2)
  expect((await api.as(keys['key of A'].token).get(`/Accounts/${sid.A}`)).body).toMatchObject({
    device_to_call_ratio: 1,
  })
})
