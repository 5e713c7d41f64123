import { type CapturedDatagram, hepAgent, hepPacket } from '@patchbay/testkit/peers/hep'
import type { Page, Request } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { aCall, anAlert, type WrittenCall, writeAlerts, writeCalls, writeTracedCall } from './support/calls.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { expectPlainLanguage } from './support/plain-language.ts'
import { expect, test } from './support/test.ts'

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })
const row = (page: Page) => page.getByRole('button', { name: /^Call from/ })
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })

/** Sends the INVITE of an outbound call and the response of the carrier, as a capture agent does. */
const capture = async (hepPort: number, call: WrittenCall, status: string) => {
  const agent = hepAgent(hepPort)
  const toDatagram = (seconds: number, isFromPlatform: boolean, start: string): CapturedDatagram => ({
    source: isFromPlatform ? '10.0.0.5' : '3.3.3.3',
    sourcePort: 5060,
    destination: isFromPlatform ? '3.3.3.3' : '10.0.0.5',
    destinationPort: 5060,
    at: (call.attempted_at + seconds * 1000) * 1000,
    payload: Buffer.from(
      [start, 'From: <sip:1@a>;tag=1', 'To: <sip:2@b>', `Call-ID: sip-${call.call_sid}`, 'CSeq: 1 INVITE', '', ''].join(
        '\r\n',
      ),
    ),
  })
  await agent.send(hepPacket(toDatagram(0, true, 'INVITE sip:2@b SIP/2.0')))
  await agent.send(hepPacket(toDatagram(0.2, false, `SIP/2.0 ${status}`)))
  agent.stop()
}

test('leads from a failed call in the list to its cause in three clicks', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = aCall({ answered: false, direction: 'outbound', sip_status: 503, from: '15550001111' })
  await writeCalls(server.intakePort, tenant, [call, aCall(), aCall({ direction: 'outbound' })])
  await capture(server.hepPort, call, '503 Service Unavailable')
  const captured = () => api.send('GET', `/Accounts/${tenant.account_sid}/RecentCalls/sip-${call.call_sid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(2)
  await open('/internal/recent-calls')

  await page.getByLabel('Status').selectOption('not answered')
  await expect(row(page)).toHaveCount(1)
  await row(page).click()
  await expect(verdict(page)).toContainText(
    'Carrier my trunk was not available for the call (503 Service Unavailable).',
  )
  await expect(verdict(page)).toContainText(/Side:\s*Carrier/)
  await expect(verdict(page)).toContainText('Check its channel limit')
  await expect(verdict(page)).toContainText(/The called party \(my trunk, 3\.3\.3\.3:5060\) rejected the call with 503/)
  await expectNoFindings(page, 'the verdict')
  await expectPlainLanguage(page, 'the verdict')
  await verdict(page).getByRole('button', { name: 'Show SIP' }).click()
  await expect(page.getByRole('list', { name: 'SIP messages' }).getByRole('button')).toHaveText([/INVITE/, /503/])
})

test('judges a call by its alerts, and links to them', async ({ page, server, tenant, open }) => {
  const call = aCall({ answered: false, sip_status: 480 })
  await writeCalls(server.intakePort, tenant, [call])
  const message = 'https://hooks.example.com returned 503'
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ target_sid: call.call_sid, message }),
    anAlert({ target_sid: 'another call', alert_type: 'no-carrier', message: 'elsewhere' }),
  ])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(verdict(page)).toContainText('Webhook failed.')
  await expect(verdict(page)).toContainText(message)
  await expect(verdict(page)).toContainText('Test the webhook of the application')
  await expect(verdict(page)).toContainText('Checked: record and alerts. No data: trace and SIP.')
  await expect(verdict(page)).not.toContainText('elsewhere')
  await verdict(page).getByRole('link', { name: 'Show alerts' }).click()
  await expect(page).toHaveURL(/\/internal\/alerts\?.*type=webhook-failure/)
  await expect(page.getByRole('table', { name: 'Alerts' }).locator('tr[data-row]')).toContainText([message])
})

test('shows one line for a call that went well, and the problem of one that did not', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const [well, badly] = [aCall({ duration: 125 }), aCall({ from: '2' })]
  await writeCalls(server.intakePort, tenant, [well, badly])
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ alert_type: 'tts-failure', target_sid: badly.call_sid, message: 'quota exceeded', vendor: 'google' }),
  ])
  await open(`/internal/recent-calls/${tenant.account_sid}/${well.call_sid}`)
  await expect(verdict(page)).toHaveText(
    'Answered, 2 min 5 s. The caller hung up.Checked: record and alerts. No data: trace.',
  )
  await open(`/internal/recent-calls/${tenant.account_sid}/${badly.call_sid}`)
  await expect(verdict(page)).toContainText('Text-to-speech failed.')
  await verdict(page).getByRole('button', { name: 'Recommended action' }).click()
  await expect(verdict(page).getByText('quota exceeded')).toBeVisible()
  await expect(verdict(page).getByText(/Test the speech service/)).toBeVisible()
  await expectNoFindings(page, 'the verdict with a problem')
})

test('says that the storage did not accept the recording of a call, also long after its end', async ({
  page,
  server,
  tenant,
  open,
}) => {
  const attempted_at = Date.now() - 3_600_000
  const recording_url = `https://patchbay.example.org/api/v1/Accounts/${tenant.account_sid}/RecentCalls/x/record/2026/05/01/mp3`
  const call = aCall({ attempted_at, duration: 60, recording_url })
  await writeCalls(server.intakePort, tenant, [call])
  const message = 'The storage of the account did not accept the recording of this call.'
  await writeAlerts(server.intakePort, tenant, [
    anAlert({ alert_type: 'recording-upload-failure', target_sid: call.call_sid, message }),
  ])
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(verdict(page)).toContainText('Recording not uploaded.')
})

test('keeps the verdict of the record if its evidence cannot be loaded', async ({ page, server, tenant, open }) => {
  const call = aCall({ answered: false, sip_status: 404 })
  await writeCalls(server.intakePort, tenant, [call])
  await page.route(/\/Alerts\?/, (route) => route.fulfill({ status: 503, json: { msg: 'The store is away' } }))
  await page.route(/\/accounts\/[^/]+\/call-legs\?/, (route) =>
    route.fulfill({ status: 500, json: { msg: 'The disk is on fire' } }),
  )
  await open(`/internal/recent-calls/${tenant.account_sid}/${call.call_sid}`)
  await expect(verdict(page)).toContainText('No application was found for the called number (404 Not Found).')
  await expect(verdict(page)).toContainText('Could not be loaded: alerts.')
})

test('keeps the selected tab in the URL and in the history', async ({ page, server, tenant, open }) => {
  const { call_sid } = await writeTracedCall(server, tenant)
  await open(`/internal/recent-calls/${tenant.account_sid}/${call_sid}?tab=logs`)
  await expect(tab(page, 'Logs')).toHaveAttribute('aria-selected', 'true')
  await tab(page, 'Tracing').click()
  await expect(page).toHaveURL(/\?tab=tracing$/)
  await page.goBack()
  await expect(tab(page, 'Logs')).toHaveAttribute('aria-selected', 'true')

  await page.goto('/internal/recent-calls')
  await row(page).click()
  await tab(page, 'SIP').click()
  await expect(page).toHaveURL(/tab=sip/)
  await page.reload()
  await expect(tab(page, 'SIP')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText(/let a HEP agent on the SBC send it to Patchbay \(INTAKE_HEP\)/)).toBeVisible()
  await page.goBack()
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Details' }).press('End')
  await expect(page).toHaveURL(/tab=sip/)
  await row(page).click()
  await row(page).click()
  await expect(tab(page, 'Details')).toHaveAttribute('aria-selected', 'true')
})

test('requests only what the verdict needs, and moves nothing when it arrives', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const call = aCall({ answered: false, direction: 'outbound', sip_status: 503 })
  await writeCalls(server.intakePort, tenant, [call])
  await writeAlerts(server.intakePort, tenant, [anAlert({ target_sid: call.call_sid })])
  await capture(server.hepPort, call, '503 Service Unavailable')
  const captured = () => api.send('GET', `/Accounts/${tenant.account_sid}/RecentCalls/sip-${call.call_sid}`)
  await expect.poll(async () => (await captured()).body.total).toBe(2)
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    const answers: (() => void)[] = []
    const pattern = /\/Accounts\/[^/]+\/Alerts\?|\/accounts\/[^/]+\/call-legs\?|\/RecentCalls\/sip-/
    await page.route(pattern, async (route) => {
      await new Promise<void>((resolve) => void answers.push(resolve))
      await route.continue()
    })
    // The menu counts the new alerts once the browser is idle.
    const counted = page.waitForResponse(/\/new-alerts/)
    await open('/internal/recent-calls')
    await expect(row(page)).toBeVisible()
    await counted
    await page.waitForLoadState('networkidle')
    const requested: string[] = []
    const hear = (request: Request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) requested.push(pathname.replace('/api/v1', ''))
    }
    page.on('request', hear)
    await row(page).click()
    await expect(verdict(page)).toHaveAttribute('aria-busy', 'true')
    await expect(verdict(page)).toContainText('Checking SIP and alerts…')
    const details = page.getByRole('region', { name: 'Times' })
    await expect(details).toBeVisible()
    const before = await details.boundingBox()
    while ((await verdict(page).getAttribute('aria-busy')) === 'true') {
      await expect
        .poll(
          () =>
            answers.length > 0 ||
            verdict(page)
              .getAttribute('aria-busy')
              .then((busy) => busy !== 'true'),
        )
        .toBe(true)
      for (const answer of answers.splice(0)) answer()
    }
    await expect(verdict(page)).toContainText(/rejected the call with 503/)
    expect((await details.boundingBox())?.y, `${width} px`).toBe(before?.y)
    await expectToFit(page, 'the verdict')
    page.off('request', hear)
    const account = `/Accounts/${tenant.account_sid}`
    expect(requested.toSorted(), `${width} px`).toEqual(
      [
        `${account}/Alerts`,
        `/patchbay/accounts/${tenant.account_sid}/call-legs`,
        `${account}/RecentCalls/sip-${call.call_sid}`,
      ].toSorted(),
    )
    await page.unroute(pattern)
  }
})
