import { randomUUID } from 'node:crypto'
import { createMetrics } from '@patchbay/server/metrics/metrics'
import { hearMp3, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { countRemainingDeaths, killDuringRequests, makeHelpersMortal } from '@patchbay/testkit/servers/helper-processes'
import { createTestApi } from '@patchbay/testkit/test-api'
import { afterAll, expect, test, vi } from 'vitest'
import { getRow } from './fixtures.ts'
import { encodeRecording, storeRecording } from './recorded-calls.ts'

/** If helper processes are killed during their work, the server continues, and the work is still done. */

const makeImmortal = await makeHelpersMortal()
const metrics = createMetrics()
const api = await createTestApi()
const logged = vi.spyOn(api.app.log, 'error')
afterAll(async () => {
  makeImmortal()
  await api.close()
  metrics.close()
})

const service_provider_sid = await api.provider()
const rulesPath = `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`

const countDeaths = async (helper: string): Promise<number> => {
  const text = (await metrics.registry.getSingleMetric('patchbay_helper_deaths_total')?.get())?.values ?? []
  return text.filter(({ labels }) => labels['helper'] === helper).reduce((sum, { value }) => sum + value, 0)
}

const tryRules = () =>
  api.admin.post(`${rulesPath}/test`, {
    card_numbers: true,
    pressed_digits: false,
    patterns: [{ name: 'Orders', expression: '\\bAB-\\d{6}\\b', replacement: 'order' }],
    text: 'It is AB-778899.',
  })

test('a text is masked although the process that masks dies once, and not shown if it dies twice', async () => {
  killDuringRequests('masking-process', 1)
  expect(await tryRules()).toMatchObject({ status: 200, body: { text: 'It is [order].' } })
  killDuringRequests('masking-process', 2)
  const failed = await tryRules()
  expect(failed).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(JSON.stringify(failed.body)).not.toContain('AB-778899')
  expect(countRemainingDeaths()).toBe(0)
  expect(await tryRules()).toMatchObject({ status: 200, body: { text: 'It is [order].' } })
  expect(await countDeaths('masking')).toBe(3)
  const death = { helper: 'masking', reason: 'died', detail: 'SIGKILL' }
  const deaths = logged.mock.calls.filter(
    ([, message]) => message === 'a helper process ended in the middle of its work',
  )
  expect(deaths.map(([fields]) => fields)).toEqual([death, death, death])
})

test('the voices of a recording are found although the process that analyzes it dies', async () => {
  const call = { account_sid: await api.account(service_provider_sid), call_sid: randomUUID() }
  const content = await encodeRecording(tones([440, 1000], 20), 'mp3')
  await storeRecording(api, content, 'mp3', { ...call, service_provider_sid })
  killDuringRequests('voice-process', 1)
  const read = async () =>
    getRow(await api.admin.get(`/patchbay/accounts/${call.account_sid}/calls/${call.call_sid}/conversation`))
  await expect.poll(read).toMatchObject({ recording: { status: 'analyzed' } })
  expect(countRemainingDeaths()).toBe(0)
  expect(await countDeaths('voice_detection')).toBe(1)
})

test('a recording stays whole although the process of its encoder dies twice', async () => {
  const url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
  const account_sid = await api.account(service_provider_sid, { record_format: 'mp3' })
  const call = await startRecording({ url, account_sid })
  for (const deaths of [1, 2]) {
    await call.say(tones([440, 1000], 3))
    killDuringRequests('mp3-process', 1)
    await call.say(tones([440, 1000], 3))
    await expect.poll(() => countDeaths('mp3_encoding')).toBe(deaths)
  }
  await call.hangUp()
  const [year, month, day] = new Date().toISOString().slice(0, 10).split('-')
  const path = `/v1/Accounts/${account_sid}/RecentCalls/${call.call_sid}/record/${year}/${month}/${day}/mp3`
  const read = () =>
    api.app.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${api.admin.token}` } })
  await expect.poll(async () => (await read()).statusCode).toBe(200)
  const { seconds } = await hearMp3((await read()).rawPayload)
  expect(seconds).toBeGreaterThan(12)
  expect(seconds).toBeLessThan(13)
})
