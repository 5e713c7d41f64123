import { readFileSync } from 'node:fs'
import { composeCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
import { startRecording } from '@patchbay/testkit/fakes/recorder'
import type { RunningServer } from '@patchbay/testkit/servers/server-process'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { type ChosenSpan, writeSpannedCall } from './support/conversations.ts'
import { expect, type Tenant, test } from './support/test.ts'

/** Muted recordings: the download, the marks on the waveform, and a provider that mutes all playback. */

const spoken = composeCall(23, { noise: 'none' }, 2)
const turns = spoken.turns.filter(({ isBackchannel }) => !isBackchannel)
const cardTurn = turns.findIndex(({ speaker }) => speaker === 'caller')
const recordedMs = spoken.caller.length / 8
/** The recording starts this many milliseconds after the call. */
const start = 500

const toSpan = ({ speaker, start: from, end }: (typeof turns)[number], position: number): ChosenSpan =>
  speaker === 'agent'
    ? { name: 'verb:say{text=x}', from: from + start, until: end + start, attributes: { text: `Answer ${position}.` } }
    : {
        name: 'stt-listen:1',
        from: from + start - 300,
        until: end + start + 400,
        attributes: {
          'stt.resolve': 'speech',
          'stt.result': JSON.stringify({
            alternatives: [
              {
                transcript: position === cardTurn ? 'My card is 4111 1111 1111 1111.' : `Question ${position}.`,
                confidence: 0.9,
              },
            ],
          }),
        },
      }

/** Records a call in which the caller says a card number. Returns its path in the console. */
const recordCall = async (
  server: RunningServer,
  { account_sid, service_provider_sid }: Pick<Tenant, 'account_sid' | 'service_provider_sid'>,
): Promise<{ call_sid: string; path: string }> => {
  const recorder = await startRecording({ url: server.url.replace('http', 'ws'), account_sid })
  await recorder.say(toPcm(spoken))
  await recorder.hangUp()
  const { call_sid } = recorder
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/')
  const recording_url = `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day}/mp3`
  const spans: ChosenSpan[] = [
    { name: 'incoming-call', from: 0, until: start + recordedMs },
    { name: 'background-record:listen', from: start, until: start + recordedMs },
    ...turns.map(toSpan),
  ]
  await writeSpannedCall(server, { account_sid, service_provider_sid }, () => spans, { call_sid, recording_url })
  return { call_sid, path: `/internal/recent-calls/${account_sid}/${call_sid}` }
}

const player = (page: Page) => page.getByRole('region', { name: 'Recording', exact: true })
const button = (page: Page, name: string) => player(page).getByRole('button', { name, exact: true })

test('a recording with a spoken card number is downloaded muted, and its waveform marks where', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const { call_sid, path } = await recordCall(server, tenant)
  await open(path)
  await expect(button(page, 'Download muted recording')).toBeVisible()
  await page.getByRole('tab', { name: 'Conversation', exact: true }).click()
  await expect(page.getByRole('list', { name: 'Conversation', exact: true }).getByText('[card number]')).toBeVisible()
  const mark = page.getByRole('img', { name: 'Silent in muted recordings: the transcript is masked' })
  await expect(mark).toHaveCount(1)
  const [muted] = await Promise.all([page.waitForEvent('download'), button(page, 'Download muted recording').click()])
  expect(muted.suggestedFilename()).toBe(`callid-${call_sid}-muted.mp3`)
  const [whole] = await Promise.all([page.waitForEvent('download'), button(page, 'Download recording').click()])
  const [mutedBytes, wholeBytes] = [readFileSync(await muted.path()), readFileSync(await whole.path())]
  expect(mutedBytes.length).toBe(wholeBytes.length)
  expect(mutedBytes.equals(wholeBytes)).toBe(false)
  await expectNoFindings(page, 'muted-recording')

  await page.route('**/record/**', (route) => route.fulfill({ status: 409, json: { msg: 'Cannot be muted' } }))
  await button(page, 'Download muted recording').click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Cannot be muted')).toBeVisible()
})

test('a provider that mutes recordings has only muted playback, and says why a recording cannot be played', async ({
  page,
  server,
  api,
  open,
}) => {
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const { token } = await api.person({ service_provider_sid })
  await api.send('PUT', `/patchbay/ServiceProviders/${service_provider_sid}/MaskingRules`, { mute_recordings: true })
  const { path } = await recordCall(server, { service_provider_sid, account_sid })
  let analyzing = 2
  await page.route('**/record/**', (route) => {
    analyzing -= 1
    const json = { msg: 'The recording is being analyzed', code: 'recording_being_analyzed' }
    return analyzing < 0 ? route.continue() : route.fulfill({ status: 503, json })
  })
  await open(path, token)
  await expect(button(page, 'Play')).toBeVisible()
  expect(analyzing).toBeLessThan(0)

  await page.unrouteAll()
  const reason = 'The recording cannot be muted: Patchbay needs the complete trace of the call.'
  await page.route('**/record/**', (route) => route.fulfill({ status: 409, json: { msg: reason } }))
  await page.reload()
  await expect(player(page).getByText(reason)).toBeVisible()
})
