import { readFileSync } from 'node:fs'
import { startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import type { Page } from '@playwright/test'
import { expectNoFindings, rulesFor } from './support/axe.ts'
import { aCall, type WrittenCall, writeCalls, writeTracedCall } from './support/calls.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

interface Owner {
  account_sid: string
  service_provider_sid: string
}

const recordingPath = (account_sid: string, call_sid: string, format: string): string =>
  `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${new Date().toISOString().slice(0, 10).replaceAll('-', '/')}/${format}`

/** Creates a traced call with a recording that was sent over the websocket: a tone on each channel. */
const recordedCall = async (
  server: { url: string; intakePort: number; otlpPort: number },
  owner: Owner,
  { seconds = 40, format = 'mp3', ...more }: Partial<WrittenCall> & { seconds?: number; format?: string } = {},
): Promise<WrittenCall> => {
  const { account_sid } = owner
  const recorder = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
  await recorder.say(tones([440, 880], seconds))
  await recorder.hangUp()
  const { call_sid } = recorder
  const recording_url = recordingPath(account_sid, call_sid, format)
  return writeTracedCall(server, owner, { call_sid, duration: seconds, recording_url, ...more })
}

const player = (page: Page) => page.getByRole('region', { name: 'Recording', exact: true })
const press = (page: Page, name: string) => player(page).getByRole('button', { name, exact: true }).click()
const time = (page: Page) => player(page).getByRole('timer', { name: 'Time' })
const slider = (page: Page) => player(page).getByRole('slider', { name: 'Position in the recording' })
const latencies = (page: Page) => player(page).getByRole('list', { name: 'Latencies', exact: true })
const marks = (page: Page) => player(page).getByRole('group', { name: 'Latencies on the waveform' }).getByRole('button')
const lines = (page: Page) => player(page).getByRole('list', { name: 'Transcript' }).getByRole('listitem')

/** Returns the vertical middle of the loudest part of each channel's waveform, in pixels of the page. */
const inkedRows = (page: Page) =>
  slider(page)
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const { width, height } = canvas
      const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? []
      const rows = Array.from({ length: height }, (_, y) => y)
      return rows.filter((y) =>
        [0.3, 0.5].some((part) => (pixels[(y * width + Math.round(part * width)) * 4 + 3] ?? 0) > 200),
      )
    })

test('CALLS-08 CALLS-13 CALLS-14 CALLS-15 downloads a recording once, and plays it in steps of 15 seconds above the waveform of both channels', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { call_sid } = await recordedCall(server, tenant)
  const authorizations: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/record/')) authorizations.push(request.headers()['authorization'] ?? '')
  })
  await open('/internal/recent-calls')
  await expect(page.getByRole('button', { name: /^Call from/ })).toBeVisible()
  expect(authorizations).toEqual([])
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(time(page)).toHaveText('00:00 / 00:40')
  // The waveform has 100 pixels per second and 50 pixels per channel.
  const track = slider(page).locator('..')
  expect(await track.evaluate(({ scrollWidth }) => Math.round(scrollWidth / 100))).toBe(40)
  await expect.poll(async () => (await inkedRows(page)).length).toBeGreaterThan(80)
  // The canvas contains both channels, and 12 pixels for the time axis.
  await expect(slider(page).locator('canvas')).toHaveAttribute('height', String(2 * 50 + 12))
  expect(Math.max(...(await inkedRows(page)).filter((row) => row < 100))).toBeGreaterThan(95)

  await press(page, 'Forward 15 seconds')
  await expect(time(page)).toHaveText('00:15 / 00:40')
  await press(page, 'Forward 15 seconds')
  await press(page, 'Forward 15 seconds')
  await expect(time(page)).toHaveText('00:39 / 00:40')
  await press(page, 'Back 15 seconds')
  await expect(time(page)).toHaveText('00:24 / 00:40')
  await slider(page).focus()
  await page.keyboard.press('PageDown')
  await page.keyboard.press('ArrowRight')
  await expect(slider(page)).toHaveAttribute('aria-valuetext', '00:10 of 00:40')
  await page.keyboard.press('Home')
  await expect(slider(page)).toHaveAttribute('aria-valuenow', '0')
  await slider(page).click({ position: { x: 300, y: 20 } })
  await expect(time(page)).toHaveText('00:03 / 00:40')
  await slider(page).press(' ')
  await expect(player(page).getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
  await press(page, 'Pause')
  await player(page).getByLabel('Speed').selectOption('2×')
  await expect(player(page).getByRole('button', { name: 'Play', exact: true })).toBeVisible()

  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download recording')])
  expect(download.suggestedFilename()).toBe(`callid-${call_sid}.mp3`)
  expect(readFileSync(await download.path()).length).toBeGreaterThan(100_000)
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(player(page)).toHaveCount(0)
  await page.getByRole('button', { name: /^Call from/ }).click()
  await expect(time(page)).toHaveText('00:00 / 00:40')
  expect(authorizations).toEqual([expect.stringMatching(/^Bearer ./)])
})

test('CALLS-23 CALLS-24 CALLS-26 CALLS-27 shows latencies with details on the recording, and the transcript next to it', async ({
  page,
  server,
  tenant,
  open,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { call_sid } = await recordedCall(server, tenant, { seconds: 38 })
  // With tracing switched off, the trace is hidden but the player still uses it.
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, switches: [...config.switches, 'no-tracing'] } })
  })
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(lines(page).first()).toContainText('Welcome to Example Airlines. How can I help you today?')
  await expect(marks(page)).toHaveCount(0)
  await player(page).getByRole('checkbox', { name: 'Show latencies' }).check()
  const detail = async (name: RegExp, title: string) => {
    await latencies(page).getByRole('button', { name }).first().press('Enter')
    const dialog = page.getByRole('dialog', { name: title, exact: true })
    await expect(dialog).toBeVisible()
    return dialog
  }

  const heard = await detail(/Speech to text\s*I would like/, 'Speech to text result')
  await expect(heard).toContainText(/Vendor\s*google/)
  await expect(heard).toContainText(/Confidence\s*0\.\d/)
  await expect(heard).toContainText(/Language code\s*en-US/)
  await expect(heard).toContainText(/Transcript\s*I would like to change my flight to Lisbon\./)
  await expect(heard).toContainText(/Latency\s*0\.\d\d seconds/)
  await page.keyboard.press('Escape')
  const latencyDetails = await detail(/Tts latency/, 'Tts Latency')
  await expect(latencyDetails).toContainText(/Vendor\s*google/)
  await expect(latencyDetails).toContainText(/Latency\s*0\.\d\d seconds/)
  await expect(latencyDetails).toContainText(/From cache\s*no/)
  await expect(latencyDetails).toContainText(/Language\s*en-USVoice\s*en-US-Wavenet-C/)
  await page.keyboard.press('Escape')
  const answered = await detail(/Application response latency/, 'Application Response Latency')
  await expect(answered).toContainText(/Status code\s*200/)
  await expect(answered).toContainText(/Latency\s*0\.\d\d seconds/)
  await expect(answered).toContainText('speechDetected')
  await page.keyboard.press('Escape')
  const pressed = await detail(/Dtmf/, 'Dtmf result')
  await expect(pressed).toContainText(/Dtmf\s*5/)
  await expect(pressed).toContainText(/Duration\s*120ms/)
  await pressed.getByRole('button', { name: 'Play from here' }).click()
  await expect(pressed).toHaveCount(0)
  // The waveform moves during playback.
  await press(page, 'Pause')

  // The digit lasts 0.12 s, although its span lasts only 20 ms.
  const box = await marks(page).filter({ hasText: /^5$/ }).boundingBox()
  expect(box?.width).toBeCloseTo(12, 0)
  await marks(page).filter({ hasText: 'Speech to text' }).first().click()
  await expect(page.getByRole('dialog', { name: 'Speech to text result' })).toBeVisible()
  await page.keyboard.press('Escape')

  await lines(page)
    .getByRole('button', { name: /I would like to change/ })
    .click()
  await expect(lines(page).getByRole('button', { name: /I would like to change/ })).toHaveAttribute(
    'aria-current',
    'true',
  )
  await expect(time(page)).not.toHaveText(/^00:00/)
  await player(page).getByRole('button', { name: 'Copy transcript' }).click()
  await expectToast(page, 'Transcript copied to clipboard')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^00:00 Agent: Welcome to Example Airlines\..*\n00:0\d Caller: I would like to change my flight to Lisbon\.\n/,
  )
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoFindings(page, 'a recording on a phone')
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNoFindings(page, 'a recording on a phone, in dark', { rules: rulesFor('dark', 390) })
})

test("CALLS-16 deletes a recording after a confirmation with the call's name, and explains why view-only users cannot", async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const account_sid = await api.account(tenant.service_provider_sid, { record_format: 'wav' })
  const owner = { ...tenant, account_sid }
  const { call_sid } = await recordedCall(server, owner, { seconds: 2, format: 'wav' })
  const path = `/internal/recent-calls/${account_sid}/${call_sid}`
  const viewer = await api.person({ account_sid, is_view_only: true })
  await open(path, viewer.token)
  const remove = player(page).getByRole('button', { name: 'Delete recording', exact: true })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await remove.focus()
  await expect(page.getByRole('tooltip')).toContainText('You have view-only access')

  await open(path)
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download recording')])
  expect(download.suggestedFilename()).toBe(`callid-${call_sid}.wav`)
  await page.route('**/record/**', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 500, json: { msg: 'The disk is on fire' } })
      : route.fallback(),
  )
  await remove.click()
  const dialog = page.getByRole('dialog', { name: 'Delete this recording?' })
  await expect(dialog).toContainText(call_sid)
  const confirm = dialog.getByRole('button', { name: 'Delete recording', exact: true })
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('The disk is on fire')
  await page.unroute('**/record/**')
  await confirm.click()
  await expectToast(page, 'Successfully deleted record')
  await expect(page.getByText('The recording of this call was deleted.')).toBeFocused()
  await expect(slider(page)).toHaveCount(0)
  await page.reload()
  await expect(page.getByText('There is no recording of this call.')).toBeVisible()
})

test('shows errors of a recording in place, with a retry', async ({ page, server, tenant, open }) => {
  const { call_sid } = await recordedCall(server, tenant, { seconds: 1 })
  const answers = [
    { status: 500, headers: { 'x-request-id': 'id-of-the-request' }, json: { msg: 'The storage is away' } },
    { status: 200, contentType: 'audio/mp3', body: 'no sound at all' },
    { status: 404, json: { msg: 'Not Found' } },
  ]
  await page.route('**/record/**', (route) => {
    const [answer] = answers.splice(0, 1)
    return answer ? route.fulfill(answer) : route.fallback()
  })
  const trace = '**/RecentCalls/trace/**'
  await page.route(trace, (route) => route.fulfill({ status: 500, json: { msg: 'The traces are away' } }))
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}`)
  await expect(page.getByText('The storage is away')).toBeVisible()
  await expect(page.getByText('Request ID id-of-the-request')).toBeVisible()
  await press(page, 'Retry')
  await expect(page.getByText('This recording cannot be played.')).toBeVisible()
  await press(page, 'Retry')
  await expect(page.getByText('There is no recording of this call.')).toBeVisible()
  await press(page, 'Retry')
  await expect(time(page)).toHaveText('00:00 / 00:01')
  await player(page).getByRole('checkbox', { name: 'Show latencies' }).check()
  await expect(page.getByText('Latencies come from the trace of the call, which is not available.')).toBeVisible()
  await page.getByRole('tab', { name: 'Tracing' }).click()
  await expect(page.getByRole('tabpanel').getByText('The traces are away')).toBeVisible()
  await page.unroute(trace)
  await page.getByRole('tabpanel').getByRole('button', { name: 'Retry' }).click()
  await expect(player(page).getByText('The trace contains no events within this recording.')).toBeVisible()
})

test('links to an external recording without sending the token, and reports an invalid URL', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const requestedUrls: string[] = []
  page.on('request', (request) => requestedUrls.push(request.url()))
  const externalRecording = aCall({ recording_url: 'https://storage.example/Accounts/1.mp3' })
  const odd = aCall({ recording_url: `/Accounts/${tenant.account_sid}` })
  await writeCalls(server.intakePort, tenant, [externalRecording, odd])
  await open(`/internal/recent-calls/${tenant.account_sid}/${externalRecording.call_sid}`)
  await expect(player(page).getByRole('link', { name: 'storage.example' })).toHaveAttribute(
    'href',
    externalRecording.recording_url ?? '',
  )
  await open(`/internal/recent-calls/${tenant.account_sid}/${odd.call_sid}`)
  await expect(player(page)).toContainText('This call has a recording, but its location is unknown')
  expect(requestedUrls.filter((url) => url.includes('storage.example'))).toEqual([])
})
