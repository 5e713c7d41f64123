import { expect, test } from 'vitest'
import { createMemoryRates } from '../../auth/rate-limit/memory-store.ts'
import { isWithin } from './tenant-quota.ts'

const limits = { account: 9, provider: 12 }

/** Returns a function that counts how many of `times` requests are within the limits. */
const createCount = () => {
  const rates = createMemoryRates(() => 0)
  return async (account_sid: string | null, times: number, service_provider_sid: string | null = 'provider') => {
    let within = 0
    for (let nth = 0; nth < times; nth += 1)
      if (await isWithin(rates, 'tests', limits, { account_sid, service_provider_sid })) within += 1
    return within
  }
}

test('limits each account', async () => {
  const count = createCount()
  expect(await count('a', 20)).toBe(9)
  expect(await count('b', 20)).toBe(9)
})

test("guarantees each account a share after others have used up the provider's pool", async () => {
  const count = createCount()
  for (const account of ['a', 'b']) expect(await count(account, 100)).toBe(9)
  for (const account of ['c', 'd', 'e']) expect(await count(account, 100)).toBe(3)
})

test('does not count rejected requests of an account against the pool', async () => {
  const count = createCount()
  expect(await count('a', 1000)).toBe(9)
  expect(await count('b', 9)).toBe(9)
})

test('limits requests for the provider itself, independently of its accounts', async () => {
  const count = createCount()
  for (const account of ['a', 'b', 'c']) await count(account, 100)
  expect(await count(null, 100)).toBe(12)
  expect(await count('d', 3)).toBe(3)
})

test('does not limit admins, who belong to no tenant', async () => {
  expect(await createCount()(null, 100, null)).toBe(100)
})
