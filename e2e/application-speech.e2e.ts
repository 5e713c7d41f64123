import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** With which voice an application speaks, and who listens. */

const editOf = (sid: string) => `/internal/applications/${sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const textOf = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** Of few or many, what is chosen is what shows. */
const shows = async (page: Page, name: string, text: string) => {
  const control = field(page, name)
  await expect
    .poll(async () =>
      control.evaluate((element) =>
        element instanceof HTMLSelectElement
          ? element.selectedOptions[0]?.text
          : element instanceof HTMLInputElement
            ? element.value
            : undefined,
      ),
    )
    .toBe(text)
}

/** One of many: typed, once they can be searched. */
const choose = async (page: Page, name: string, text: string) => {
  await field(page, name).and(page.locator('input')).fill(text)
  await page.getByRole('option', { name: text, exact: true }).first().click()
}

const makeApplication = async (api: Api, { account_sid }: Tenant, more: object = {}): Promise<string> => {
  const hook = { url: 'https://a.example' }
  const body = { name: 'Reception', account_sid, call_hook: hook, call_status_hook: hook, ...more }
  return (await api.send('POST', '/Applications', body)).body.sid
}

const storedOf = async (api: Api, sid: string) => (await api.send('GET', `/Applications/${sid}`)).body

const credential = async (api: Api, { account_sid }: Tenant, more: object) => {
  const path = `/Accounts/${account_sid}/SpeechCredentials`
  const made = await api.send('POST', path, { account_sid, use_for_tts: true, use_for_stt: true, ...more })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
}

const listsAsked = (page: Page): URL[] => {
  const asked: URL[] = []
  page.on('request', (request) => {
    if (request.url().includes('supportedLanguagesAndVoices')) asked.push(new URL(request.url()))
  })
  return asked
}

test('APPS-29 APPS-30 APPS-34 APPS-35 vendor, label, language and voice are chosen, and who takes over; both change places', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await credential(api, tenant, { vendor: 'wellsaid', label: 'day', api_key: 'of-the-day', use_for_stt: false })
  await credential(api, tenant, { vendor: 'wellsaid', label: 'night', api_key: 'of-the-night', use_for_stt: false })
  const sid = await makeApplication(api, tenant)
  await open(editOf(sid))
  await shows(page, 'Synthesis vendor', 'Google')
  await shows(page, 'Synthesis language', 'English (US)')
  await shows(page, 'Recognition vendor', 'Google')
  // What is stored is not touched by lists that come.
  await expect(page.getByText('No changes')).toBeVisible()
  await expect(field(page, 'Synthesis label')).toHaveCount(0)

  await choose(page, 'Synthesis vendor', 'AWS')
  await shows(page, 'Synthesis language', 'English (US)')
  await expect(field(page, 'Synthesis voice')).not.toHaveValue('')
  await choose(page, 'Synthesis language', 'German')
  await choose(page, 'Recognition vendor', 'Cobalt')
  await expect(field(page, 'Recognition language')).toHaveValue(/./)

  const fallback = page.getByLabel('Use a fallback speech vendor if primary fails')
  await expect(field(page, 'Fallback synthesis vendor')).toHaveCount(0)
  await fallback.check()
  await shows(page, 'Fallback synthesis vendor', 'Google')
  await choose(page, 'Fallback synthesis vendor', 'WellSaid')
  await shows(page, 'Fallback synthesis label', 'day')
  await field(page, 'Fallback synthesis label').selectOption('night')
  await expect(field(page, 'Fallback synthesis voice')).not.toHaveValue('')
  await expectNoFindings(page, 'the speech of an application')
  await page.getByRole('button', { name: 'Swap primary and fallback' }).click()
  await shows(page, 'Synthesis vendor', 'WellSaid')
  await shows(page, 'Synthesis label', 'night')
  await shows(page, 'Fallback synthesis vendor', 'AWS')
  await shows(page, 'Fallback recognition vendor', 'Cobalt')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  const saved = await storedOf(api, sid)
  expect(saved).toMatchObject({
    speech_synthesis_vendor: 'wellsaid',
    speech_synthesis_label: 'night',
    speech_synthesis_language: 'en-US',
    speech_recognizer_vendor: 'google',
    speech_recognizer_language: 'en-US',
    speech_recognizer_label: null,
    use_for_fallback_speech: 1,
    fallback_speech_synthesis_vendor: 'aws',
    fallback_speech_synthesis_language: 'de-DE',
    fallback_speech_synthesis_label: null,
    fallback_speech_recognizer_vendor: 'cobalt',
    fallback_speech_recognizer_language: 'en_US-8khz',
  })
  expect(saved.speech_synthesis_voice).not.toBeNull()
  expect(saved.fallback_speech_synthesis_voice).not.toBeNull()

  await page.goto(editOf(sid))
  await shows(page, 'Synthesis label', 'night')
  await shows(page, 'Fallback synthesis language', 'German')
  await fallback.uncheck()
  const put = page.waitForRequest((request) => request.method() === 'PUT')
  await save(page).click()
  expect((await put).postDataJSON()).toMatchObject({
    use_for_fallback_speech: false,
    fallback_speech_synthesis_vendor: null,
    fallback_speech_recognizer_language: null,
  })
  await expectToast(page, 'Application updated successfully')
})

test('APPS-31 the lists of a vendor are asked for 200 ms after it was chosen, once; one that fails is told, and keeps what is stored', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await makeApplication(api, tenant)
  await page.clock.install()
  await open(editOf(sid))
  await shows(page, 'Synthesis language', 'English (US)')
  const vendor = field(page, 'Synthesis vendor').and(page.locator('input'))
  await expect(vendor.and(page.locator('input'))).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
  const asked = listsAsked(page)
  for (const name of ['IBM', 'Nuance', 'AWS']) {
    await vendor.fill(name)
    await page.getByRole('option', { name, exact: true }).click()
    await page.clock.runFor(150)
  }
  expect(asked).toEqual([])
  await page.clock.runFor(100)
  await page.clock.resume()
  await expect(field(page, 'Synthesis voice')).not.toHaveValue('')
  expect(asked.map(({ searchParams }) => searchParams.get('vendor'))).toEqual(['aws'])

  await page.route('**/supportedLanguagesAndVoices?vendor=nuance*', (route) =>
    route.fulfill({ status: 422, json: { msg: 'failed to list voices' } }),
  )
  await page.goto(editOf(sid))
  await shows(page, 'Synthesis language', 'English (US)')
  await choose(page, 'Synthesis vendor', 'Nuance')
  await expectToast(page, 'failed to list voices')
  await page.getByLabel('Application name').fill('Desk')
  await choose(page, 'Synthesis vendor', 'Google')
  await expect(field(page, 'Synthesis voice')).not.toHaveValue('')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await storedOf(api, sid)).toMatchObject({
    name: 'Desk',
    speech_synthesis_vendor: 'google',
    speech_synthesis_language: 'en-US',
    speech_synthesis_voice: 'en-US-Standard-C',
  })
})

test('of a custom vendor language and voice are typed, of Microsoft with a voice of one’s own the voice; both are required', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await credential(api, tenant, { vendor: 'custom:acme', custom_tts_url: 'https://speech.example.com' })
  const custom = { use_custom_tts: true, custom_tts_endpoint: 'of-ours', region: 'eastus', api_key: 'of-microsoft' }
  await credential(api, tenant, { vendor: 'microsoft', ...custom })
  await page.route('**/supportedLanguagesAndVoices?vendor=microsoft*', (route) =>
    route.fulfill({ json: { tts: [{ value: 'en-US', name: 'English', voices: [{ value: 'Ava', name: 'Ava' }] }] } }),
  )
  const sid = await makeApplication(api, tenant)
  await open(editOf(sid))
  await choose(page, 'Synthesis vendor', 'acme (custom)')
  await expect(textOf(page, 'Synthesis language')).toHaveValue('')
  await choose(page, 'Recognition vendor', 'acme (custom)')
  await expect(textOf(page, 'Recognition language')).toHaveValue('en-US')
  await save(page).click()
  await expect(page.getByText('Enter a language')).toBeVisible()
  await expect(page.getByText('Enter a voice')).toBeVisible()
  await expect(textOf(page, 'Synthesis language')).toBeFocused()
  await textOf(page, 'Synthesis language').fill('de')
  await textOf(page, 'Synthesis voice').fill('of ours')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await storedOf(api, sid)).toMatchObject({
    speech_synthesis_vendor: 'custom:acme',
    speech_synthesis_language: 'de',
    speech_synthesis_voice: 'of ours',
    speech_recognizer_vendor: 'custom:acme',
    speech_recognizer_language: 'en-US',
  })
  await page.goto(editOf(sid))
  await choose(page, 'Synthesis vendor', 'Microsoft')
  await shows(page, 'Synthesis language', 'English')
  await expect(textOf(page, 'Synthesis voice')).toHaveValue('')
  await save(page).click()
  await expect(page.getByText('Enter a voice')).toBeVisible()
  // At Google voices of one's own stand first.
  const voice = { google_custom_voice_sid: 'of-ours', speech_credential_sid: 'c', name: 'Ours', model: 'm' }
  await page.route('**/GoogleCustomVoices?*', (route) => route.fulfill({ json: [voice] }))
  await choose(page, 'Synthesis vendor', 'Google')
  await shows(page, 'Synthesis voice', 'Ours (Custom)')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect((await storedOf(api, sid)).speech_synthesis_voice).toBe('custom_of-ours')
})

test('view-only users see the speech of an application', async ({ page, api, tenant, open }) => {
  const sid = await makeApplication(api, tenant, { use_for_fallback_speech: true })
  const { service_provider_sid, account_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(editOf(sid), token)
  await shows(page, 'Synthesis vendor', 'Google')
  await expect(field(page, 'Synthesis vendor')).toBeDisabled()
  await expect(field(page, 'Fallback recognition language')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Swap primary and fallback' })).toHaveCount(0)
})

test('what is typed of a choice stands when the choices of others come in meanwhile', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await makeApplication(api, tenant)
  const answer = await hold(page, '**/supportedLanguagesAndVoices*')
  await open(editOf(sid))
  const vendor = field(page, 'Synthesis vendor').and(page.locator('input'))
  await vendor.fill('Nuan')
  await expect(page.getByRole('option')).toHaveText(['Nuance'])
  answer()
  // What is behind an open list is hidden from roles.
  await expect(page.getByLabel('Synthesis language', { exact: true })).toHaveValue('English (US)')
  await expect(vendor).toHaveValue('Nuan')
  await page.keyboard.press('Enter')
  await shows(page, 'Synthesis vendor', 'Nuance')
})

test('what is typed stands when the name of what was chosen before comes in meanwhile', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await credential(api, tenant, { vendor: 'custom:acme', custom_tts_url: 'https://speech.example.com' })
  const custom = {
    speech_synthesis_vendor: 'custom:acme',
    speech_synthesis_language: 'de',
    speech_synthesis_voice: 'v',
  }
  const sid = await makeApplication(api, tenant, custom)
  const answer = await hold(page, '**/SpeechCredentials*')
  await open(editOf(sid))
  const vendor = field(page, 'Synthesis vendor').and(page.locator('input'))
  await vendor.fill('Nuan')
  await expect(page.getByRole('option')).toHaveText(['Nuance'])
  const came = page.waitForResponse('**/SpeechCredentials*')
  answer()
  await (await came).finished()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  await vendor.press('Backspace')
  await expect(vendor).toHaveValue('Nua')
  await vendor.press('Escape')
  await shows(page, 'Synthesis vendor', 'acme (custom)')
})
