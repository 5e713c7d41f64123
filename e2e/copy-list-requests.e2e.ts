import type { Page } from '@playwright/test'
import { seededScreens, seededTest, toAddress } from './support/every-screen.ts'
import { readClipboard, runCurl, runJavaScript } from './support/run-code.ts'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Lists and records offer the request that reads them, as curl and as JavaScript. */

const exportButton = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Copy or download' })

const take = async (page: Page, item: string) => {
  await exportButton(page).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] })

  test('a view-only user copies the requests of speech services and alert destinations, which run as they are', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { service_provider_sid } = tenant
    const speech = { vendor: 'microsoft', label: 'Main', api_key: 'k3y-of-a-tenant', region: 'westus', use_for_tts: 1 }
    const path = `/ServiceProviders/${service_provider_sid}/SpeechCredentials`
    const speech_credential_sid: string = (await api.send('POST', path, speech)).body.sid
    const target = 'https://hooks.slack.com/services/T0/B0/secret-of-the-hook'
    const destination = { name: 'On call', kind: 'slack', target, account_sid: null, service_provider_sid }
    const alert_destination_sid: string = (await api.send('POST', '/patchbay/alert-destinations', destination)).body.sid
    const viewer = await api.person({ service_provider_sid, is_view_only: true })
    const env = { PATCHBAY_TOKEN: viewer.token }

    await open('/internal/speech-services', viewer.token)
    for (const [address, sid] of [
      ['/internal/speech-services', speech_credential_sid],
      [`/internal/speech-services/${speech_credential_sid}/edit`, speech_credential_sid],
      ['/internal/alert-destinations', alert_destination_sid],
      [`/internal/alert-destinations/${alert_destination_sid}/edit`, alert_destination_sid],
    ] as const)
      await test.step(address, async () => {
        await page.goto(address)
        await take(page, 'Copy as cURL')
        await expectToast(page, 'cURL command copied to clipboard')
        const command = await readClipboard(page)
        expect(command).not.toContain(viewer.token)
        expect(await runCurl(command, env)).toContain(sid)
        await take(page, 'Copy as JavaScript')
        await expectToast(page, 'JavaScript copied to clipboard')
        const code = await readClipboard(page)
        expect(code).not.toContain(viewer.token)
        expect(await runJavaScript(code, env)).toContain(sid)
        await expect(runJavaScript(code, { PATCHBAY_TOKEN: 'of-nobody' })).rejects.toThrow('401')
      })
  })

  test('the result of an inbound routing test is copied as its request and as JSON', async ({ page, open, api }) => {
    await open('/internal/phone-numbers/inbound?source=198.51.100.7&number=15083084809&realm=203.0.113.1')
    await expect(page.getByRole('heading', { name: 'The call is rejected with 404.' })).toBeVisible()
    await take(page, 'Copy as cURL')
    await expectToast(page, 'cURL command copied to clipboard')
    const answer = await runCurl(await readClipboard(page), { PATCHBAY_TOKEN: api.token })
    await take(page, 'Copy as JSON')
    await expectToast(page, 'JSON copied to clipboard')
    expect(JSON.parse(await readClipboard(page))).toEqual(JSON.parse(answer))
  })

  test('copied JSON of an alert destination does not contain the address of its webhook', async ({
    page,
    api,
    tenant,
    open,
  }) => {
    const { account_sid, service_provider_sid } = tenant
    const target = 'https://hooks.slack.com/services/T0/B0/secret-of-the-hook'
    await api.send('POST', '/patchbay/alert-destinations', { name: 'On call', kind: 'slack', target, account_sid })
    const user = await api.person({ service_provider_sid })
    await open('/internal/alert-destinations', user.token)
    await expect(page.getByText(target)).toBeVisible()
    await take(page, 'Copy as JSON')
    await expectToast(page, 'JSON copied to clipboard')
    expect(JSON.parse(await readClipboard(page))).toMatchObject([{ target: 'https://hooks.slack.com/********' }])
  })
})

test('says that nothing was copied if the browser denies the clipboard', async ({ page, open }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('denied', 'NotAllowedError'))
  })
  await open('/internal/alert-destinations')
  await take(page, 'Copy as JavaScript')
  await expectToast(page, 'Unable to copy JavaScript')
})

test('works by keyboard alone at 390 px', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 390, height: 844 })
  await open('/internal/speech-services')
  await exportButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Copy as cURL' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: 'Copy as JavaScript' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expectToast(page, 'JavaScript copied to clipboard')
  await expect(exportButton(page)).toBeFocused()
})

seededTest('every list offers its request', async ({ page, open, house }) => {
  await open('/internal/accounts')
  let lists = 0
  for (const screen of seededScreens.filter(({ path }) => !path.includes('$')))
    await seededTest.step(screen.path, async () => {
      await page.goto(toAddress(screen, house))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      if (!(await page.getByRole('main').getByRole('button', { name: 'Refresh', exact: true }).isVisible())) return
      lists += 1
      await expect(exportButton(page)).toBeVisible()
    })
  expect(lists).toBeGreaterThan(14)
})
