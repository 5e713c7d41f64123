import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'
import { storeCapturedCall, storeTracedCall } from '../fixtures.ts'

/** Many readers of traces and captured SIP at the same time. */

/** Readers of one tenant that run or wait. */
const maxReaders = 64

const api = await openTestApi()

const tenant = async () => {
  const service_provider_sid = await api.provider()
  const owner = { account_sid: await api.account(service_provider_sid), service_provider_sid }
  const path = `/Accounts/${owner.account_sid}/RecentCalls`
  return {
    caller: (await api.user(owner)).caller,
    paths: {
      trace: `${path}/trace/${await storeTracedCall(api, owner)}`,
      sip: `${path}/${await storeCapturedCall(api, owner)}`,
    },
  }
}

test.each(['trace', 'sip'] as const)('readers of a %s wait for their own tenant only', async (kind) => {
  const [greedy, other] = [await tenant(), await tenant()]
  const flood = Array.from({ length: maxReaders + 36 }, () => greedy.caller.get(greedy.paths[kind]))
  expect((await other.caller.get(other.paths[kind])).status).toBe(200)
  const answers = await Promise.all(flood)
  const rejected = answers.filter(({ status }) => status !== 200)
  // A reader that finishes while others arrive makes room for another one.
  expect(rejected.length).toBeGreaterThan(0)
  expect(answers.length - rejected.length).toBeGreaterThanOrEqual(maxReaders)
  for (const answer of rejected)
    expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_concurrent_requests' } })
  expect((await greedy.caller.get(greedy.paths[kind])).status).toBe(200)
})
