import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { unsavedChanges } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Speech synthesis and recognition settings of an application. */

const editPath = (sid: string) => `/internal/applications/${sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const textField = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** Asserts the selected option of a select or of a searchable field, which is used for long lists. */
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

/** Chooses an option of a searchable field by typing. */
const choose = async (page: Page, name: string, text: string) => {
  await field(page, name).and(page.locator('input')).fill(text)
  await page.getByRole('option', { name: text, exact: true }).first().click()
}

const makeApplication = async (api: Api, { account_sid }: Tenant, more: object = {}): Promise<string> => {
  const hook = { url: 'https://a.example' }
  const body = { name: 'Reception', account_sid, call_hook: hook, call_status_hook: hook, ...more }
  return (await api.send('POST', '/Applications', body)).body.sid
}

const fetchStored = async (api: Api, sid: string) => (await api.send('GET', `/Applications/${sid}`)).body

const credential = async (api: Api, { account_sid }: Tenant, more: object) => {
  const path = `/Accounts/${account_sid}/SpeechCredentials`
  const created = await api.send('POST', path, { account_sid, use_for_tts: true, use_for_stt: true, ...more })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
}

const recordListRequests = (page: Page): URL[] => {
  const listRequests: URL[] = []
  page.on('request', (request) => {
    if (request.url().includes('supportedLanguagesAndVoices')) listRequests.push(new URL(request.url()))
  })
  return listRequests
}

test('APPS-29 APPS-30 APPS-34 APPS-35 selects vendor, label, language, voice, and fallback, and swaps primary and fallback', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await credential(api, tenant, { vendor: 'wellsaid', label: 'day', api_key: 'of-the-day', use_for_stt: false })
  await credential(api, tenant, { vendor: 'wellsaid', label: 'night', api_key: 'of-the-night', use_for_stt: false })
  const sid = await makeApplication(api, tenant)
  await open(editPath(sid))
  await shows(page, 'Synthesis vendor', 'Google')
  await shows(page, 'Synthesis language', 'English (US)')
  await shows(page, 'Recognition vendor', 'Google')
  // Loading the lists does not change the stored values.
  await expect(unsavedChanges(page)).toHaveCount(0)
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
  const saved = await fetchStored(api, sid)
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

  await page.goto(editPath(sid))
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

test('APPS-31 requests the lists of a vendor once, 200 ms after its selection, and keeps the stored values if that fails', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await makeApplication(api, tenant)
  await page.clock.install()
  await open(editPath(sid))
  await shows(page, 'Synthesis language', 'English (US)')
  const vendor = field(page, 'Synthesis vendor').and(page.locator('input'))
  await expect(vendor.and(page.locator('input'))).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
  const listRequests = recordListRequests(page)
  for (const name of ['IBM', 'Nuance', 'AWS']) {
    await vendor.fill(name)
    await page.getByRole('option', { name, exact: true }).click()
    await page.clock.runFor(150)
  }
  expect(listRequests).toEqual([])
  await page.clock.runFor(100)
  await page.clock.resume()
  await expect(field(page, 'Synthesis voice')).not.toHaveValue('')
  expect(listRequests.map(({ searchParams }) => searchParams.get('vendor'))).toEqual(['aws'])

  await page.route('**/supportedLanguagesAndVoices?vendor=nuance*', (route) =>
    route.fulfill({ status: 422, json: { msg: 'failed to list voices' } }),
  )
  await page.goto(editPath(sid))
  await shows(page, 'Synthesis language', 'English (US)')
  await choose(page, 'Synthesis vendor', 'Nuance')
  await expectToast(page, 'failed to list voices')
  await page.getByLabel('Application name').fill('Desk')
  await choose(page, 'Synthesis vendor', 'Google')
  await expect(field(page, 'Synthesis voice')).not.toHaveValue('')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toMatchObject({
    name: 'Desk',
    speech_synthesis_vendor: 'google',
    speech_synthesis_language: 'en-US',
    speech_synthesis_voice: 'en-US-Standard-C',
  })
})

test('requires typed language and voice for custom vendors, and a typed voice for Microsoft custom voices', async ({
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
  await open(editPath(sid))
  await choose(page, 'Synthesis vendor', 'acme (custom)')
  await expect(textField(page, 'Synthesis language')).toHaveValue('')
  await choose(page, 'Recognition vendor', 'acme (custom)')
  await expect(textField(page, 'Recognition language')).toHaveValue('en-US')
  await save(page).click()
  await expect(page.getByText('Enter a language')).toBeVisible()
  await expect(page.getByText('Enter a voice')).toBeVisible()
  await expect(textField(page, 'Synthesis language')).toBeFocused()
  await textField(page, 'Synthesis language').fill('de')
  await textField(page, 'Synthesis voice').fill('of ours')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toMatchObject({
    speech_synthesis_vendor: 'custom:acme',
    speech_synthesis_language: 'de',
    speech_synthesis_voice: 'of ours',
    speech_recognizer_vendor: 'custom:acme',
    speech_recognizer_language: 'en-US',
  })
  await page.goto(editPath(sid))
  await choose(page, 'Synthesis vendor', 'Microsoft')
  await shows(page, 'Synthesis language', 'English')
  await expect(textField(page, 'Synthesis voice')).toHaveValue('')
  await save(page).click()
  await expect(page.getByText('Enter a voice')).toBeVisible()
  // Google's custom voices come first.
  const voice = { google_custom_voice_sid: 'of-ours', speech_credential_sid: 'c', name: 'Ours', model: 'm' }
  await page.route('**/GoogleCustomVoices?*', (route) => route.fulfill({ json: [voice] }))
  await choose(page, 'Synthesis vendor', 'Google')
  await shows(page, 'Synthesis voice', 'Ours (Custom)')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect((await fetchStored(api, sid)).speech_synthesis_voice).toBe('custom_of-ours')
})

test('shows view-only users the speech settings', async ({ page, api, tenant, open }) => {
  const sid = await makeApplication(api, tenant, { use_for_fallback_speech: true })
  const { service_provider_sid, account_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(editPath(sid), token)
  await shows(page, 'Synthesis vendor', 'Google')
  await expect(field(page, 'Synthesis vendor')).toBeDisabled()
  await expect(field(page, 'Fallback recognition language')).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Swap primary and fallback' })).toHaveCount(0)
})

test('keeps typed text when the options of other fields arrive', async ({ page, api, tenant, open }) => {
  const sid = await makeApplication(api, tenant)
  const answer = await hold(page, '**/supportedLanguagesAndVoices*')
  await open(editPath(sid))
  const vendor = field(page, 'Synthesis vendor').and(page.locator('input'))
  await vendor.fill('Nuan')
  await expect(page.getByRole('option')).toHaveText(['Nuance'])
  answer()
  // Elements behind an open list are hidden from role queries.
  await expect(page.getByLabel('Synthesis language', { exact: true })).toHaveValue('English (US)')
  await expect(vendor).toHaveValue('Nuan')
  await page.keyboard.press('Enter')
  await shows(page, 'Synthesis vendor', 'Nuance')
})

/**
 * Opens an application with a custom vendor whose speech services, which have the name of the vendor, have not arrived.
 * They arrive, and are rendered, when the returned function is called.
 */
const openBeforeVendorNames = async (page: Page, api: Api, tenant: Tenant, open: (path: string) => Promise<void>) => {
  await credential(api, tenant, { vendor: 'custom:acme', custom_tts_url: 'https://speech.example.com' })
  const custom = {
    speech_synthesis_vendor: 'custom:acme',
    speech_synthesis_language: 'de',
    speech_synthesis_voice: 'v',
  }
  const sid = await makeApplication(api, tenant, custom)
  const release = await hold(page, '**/SpeechCredentials*')
  await open(editPath(sid))
  const answer = async () => {
    const came = page.waitForResponse('**/SpeechCredentials*')
    release()
    await (await came).finished()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  }
  return { vendor: field(page, 'Synthesis vendor').and(page.locator('input')), answer }
}

test('replaces the selected option by typing when its name arrives in between', async ({ page, api, tenant, open }) => {
  const { vendor, answer } = await openBeforeVendorNames(page, api, tenant, open)
  await vendor.selectText()
  await answer()
  await page.keyboard.type('Nuan')
  await expect(vendor).toHaveValue('Nuan')
  await page.keyboard.press('Escape')
  await vendor.blur()
  await shows(page, 'Synthesis vendor', 'acme (custom)')
})

test('keeps typed text when the name of the selected option arrives', async ({ page, api, tenant, open }) => {
  const { vendor, answer } = await openBeforeVendorNames(page, api, tenant, open)
  await vendor.fill('Nuan')
  await expect(page.getByRole('option')).toHaveText(['Nuance'])
  await answer()
  await vendor.press('Backspace')
  await expect(vendor).toHaveValue('Nua')
  await vendor.press('Escape')
  await shows(page, 'Synthesis vendor', 'acme (custom)')
})

test('preselects a vendor with a speech service, offers those first, and marks the others', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await credential(api, tenant, { vendor: 'deepgram', api_key: 'a-key-of-deepgram' })
  await open('/internal/applications/add')
  await shows(page, 'Synthesis vendor', 'Deepgram')
  await shows(page, 'Recognition vendor', 'Deepgram')
  const hint = page.getByText('The account has no speech service of this vendor.')
  await expect(hint).toHaveCount(0)
  // A preselection is no change, so the form can be left without a question.
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page).toHaveURL(/\/internal\/applications$/)

  await open('/internal/applications/add')
  await shows(page, 'Synthesis vendor', 'Deepgram')
  const vendor = field(page, 'Synthesis vendor')
  await vendor.click()
  const groups = page.getByRole('listbox').getByRole('group')
  await expect(groups.first()).toHaveAccessibleName('Your speech services')
  await expect(groups.first().getByRole('option')).toHaveText(['Deepgram'])
  await expect(groups.last()).toHaveAccessibleName('Without a speech service')
  await groups.last().getByRole('option', { name: 'Google', exact: true }).click()
  await expect(hint).toHaveCount(1)
})

test('says that an account has no speech service, and leads to where one is added', async ({ page, open }) => {
  await open('/internal/applications/add')
  await expect(page.getByText('The account has no speech service.')).toBeVisible()
  await shows(page, 'Synthesis vendor', 'Google')
  await page.getByRole('link', { name: 'Add a speech service' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/speech service/i)
})
