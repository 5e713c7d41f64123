import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { mergeTests } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { dialog, editPath, expect, test as phoneTest, readCallId, startCall, state } from './support/phone.ts'
import { test as redisTest } from './support/redis.ts'

/** The transcript of a call from Chromium while it lasts, from the trace of the platform. */

const test = mergeTests(phoneTest, redisTest).extend({
  settings: [async ({ line, redis }, use) => use({ PHONE_SBC_URLS: line.url, ...redis.settings }), { scope: 'worker' }],
})

for (const isNamed of [true, false])
  test(`shows what was said so far, of a call that is found by its ${isNamed ? 'SID' : 'Call-ID'}`, async ({
    page,
    server,
    open,
    callable,
    answerCalls,
    featureServer,
  }) => {
    const { account_sid } = callable
    const callId = readCallId(page)
    // The SID exists before the platform answers.
    const call_sid = crypto.randomUUID()
    await answerCalls({ kind: 'answers', ...(isNamed ? { callSid: call_sid } : {}) })
    await open(editPath(callable))
    await startCall(page)
    await expect(state(page)).toHaveText('In call')
    const trace = await exportCall({ url: `http://127.0.0.1:${server.otlpPort}`, account_sid, call_sid })
    const transcript = dialog(page).getByRole('log', { name: 'Transcript' })
    // Another call of the account, and then this one, which the platform has just begun to list.
    await featureServer.call(account_sid, { traceId: trace })
    await page.waitForResponse(/\/Calls/)
    await expect(transcript).toHaveCount(0)
    await featureServer.call(account_sid, { callSid: call_sid, sbcCallid: await callId, traceId: trace })
    await expect(transcript).toContainText('Application')
    await expect(transcript).toContainText('You')
    const distanceToEnd = () => transcript.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight)
    await expect.poll(distanceToEnd).toBeLessThan(2)
    expect(await transcript.evaluate((log) => log.scrollTop)).toBeGreaterThan(0)
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoFindings(page, 'the phone with a transcript')
  })

test('says nothing of a call without a trace, and is shown when live calls can be read again', async ({
  page,
  server,
  open,
  callable,
  answerCalls,
  featureServer,
}) => {
  const { account_sid } = callable
  const call_sid = crypto.randomUUID()
  await answerCalls({ kind: 'answers', callSid: call_sid })
  let failures = 0
  await page.route('**/Calls/*', (route) => {
    failures += 1
    return failures < 2 ? route.fulfill({ status: 503, json: { msg: 'not now' } }) : route.fallback()
  })
  await open(editPath(callable))
  await startCall(page)
  await expect(state(page)).toHaveText('In call')
  await expect.poll(() => failures).toBeGreaterThan(0)
  const transcript = dialog(page).getByRole('log', { name: 'Transcript' })
  await expect(transcript).toHaveCount(0)
  await expect(dialog(page).getByRole('alert')).toHaveCount(0)
  const traceId = await exportCall({ url: `http://127.0.0.1:${server.otlpPort}`, account_sid, call_sid })
  await featureServer.call(account_sid, { callSid: call_sid, traceId })
  await expect(transcript).toContainText('Application')
})
