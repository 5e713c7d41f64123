import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

const api = await openTestApi({ LOGIN_ATTEMPTS_MAX_RETRIES: '2' })

const address = '10.9.9.9'
const elsewhere = '10.9.9.8'

/** An address may fail ten times as often as a name: here twenty times. */
const often = Array.from({ length: 21 }, (_, index) => index)

test('an address where many sign in, and get it right, is never locked out', async () => {
  const { name, password } = await api.user()
  for (const time of often) expect([time, (await api.signIn(name, password, address)).status]).toEqual([time, 200])
})

test('an address that tries many names is locked out, also for a right password; others are not', async () => {
  const { name, password } = await api.user()
  for (const time of often) expect((await api.signIn(`no user ${time}`, 'wrong', address)).status).toBe(403)
  expect(await api.signIn(name, password, address)).toMatchObject({ status: 403, body: { code: 'locked_out' } })
  expect((await api.signIn(name, password, elsewhere)).status).toBe(200)
})
