import { writeFile } from 'node:fs/promises'
import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { unsavedChanges } from './support/records.ts'
import { type Api, test as base, expect, type Tenant } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Uses the fake vendors of the test kit, on a local port. */
const test = base.extend<object, { fakeVendors: FakeVendorServer }>({
  fakeVendors: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants the pattern
    async ({}, use) => {
      const fakeVendors = await startFakeVendorServer()
      await use(fakeVendors)
      await fakeVendors.stop()
    },
    { scope: 'worker' },
  ],
  settings: [
    async ({ fakeVendors }, use) => {
      await use(fakeVendors.environment)
    },
    { scope: 'worker' },
  ],
})

const rows = (page: Page) => page.getByRole('table', { name: 'Speech services' }).locator('tbody tr[data-row]')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const vendorBox = (page: Page) => page.getByRole('combobox', { name: 'Vendor', exact: true })
const usedBy = (page: Page) => page.getByRole('combobox', { name: 'Used by' })

const deepgram = { vendor: 'deepgram', api_key: 'deepgram-key-of-the-tests', use_for_tts: 1, use_for_stt: 1 }

const service = async (api: Api, { service_provider_sid }: Tenant, more: object = {}): Promise<string> => {
  const created = await api.send('POST', `/ServiceProviders/${service_provider_sid}/SpeechCredentials`, {
    ...deepgram,
    ...more,
  })
  expect(created.status).toBe(201)
  return created.body.sid
}

const stored = async (api: Api, { service_provider_sid, account_sid }: Tenant, account = false) => {
  const owner = account ? `Accounts/${account_sid}` : `ServiceProviders/${service_provider_sid}`
  return (await api.send('GET', `/${owner}/SpeechCredentials`)).body[0]
}

const choose = async (page: Page, vendor: string) => {
  // The field becomes searchable after the page is displayed.
  await expect(vendorBox(page)).not.toHaveJSProperty('tagName', 'SELECT')
  await vendorBox(page).click()
  await page.getByRole('option', { name: vendor, exact: true }).click()
}

/** Selects a vendor with all of its uses, answers its questions, tries to save, and returns the error messages. */
const asksFor = async (
  page: Page,
  vendor: string,
  answers: Readonly<Record<string, string | true>>,
  faults: readonly string[],
) => {
  await choose(page, vendor)
  for (const use of ['Use for text-to-speech', 'Use for speech-to-text'])
    if ((await page.getByLabel(use).count()) > 0) await page.getByLabel(use).check()
  for (const [label, answer] of Object.entries(answers))
    if (answer === true) await page.getByRole('checkbox', { name: label }).check()
    else await page.getByRole('combobox', { name: label, exact: true }).selectOption(answer)
  await save(page).click()
  await expect(page.getByText(/^(?:Enter|Choose) the |^Must be /), vendor).toHaveText([...faults])
}

test('SPEECH-01 SPEECH-68 NAV-29 NAV-62 COMMON-20 opens from the menu, and filters by account and by text', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await service(api, tenant, { label: 'main' })
  await service(api, tenant, { vendor: 'soniox' })
  await service(api, tenant, { vendor: 'voxist', account_sid: tenant.account_sid })
  await open('/internal/accounts')
  await page.getByRole('link', { name: 'Speech', exact: true }).click()
  await expect(page).toHaveURL(/\/internal\/speech-services$/)
  await expect(heading(page, 'Speech services')).toBeVisible()
  await expect(rows(page)).toHaveText([/Deepgram.*main.*All accounts.*TTS\/STT/, /Soniox/])
  await expect(page.getByRole('link', { name: 'Add speech service' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Filter speech services' }).fill('SON')
  await expect(rows(page)).toHaveText([/Soniox/])
  await page.getByRole('searchbox', { name: 'Filter speech services' }).fill('')
  await usedBy(page).selectOption(tenant.accountName)
  await expect(rows(page)).toHaveText([new RegExp(`Voxist.*${tenant.accountName}`)])
  await expectNoFindings(page, 'speech services')
})

test('SPEECH-02 SPEECH-03 ROLES-19 shows account users the usable services, and lets them delete their own', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const user = await api.person({ service_provider_sid, account_sid })
  await open('/internal/speech-services', user.token)
  await expect(page.getByText('No speech services.')).toBeVisible()
  const own = await service(api, tenant, { account_sid, label: 'own' })
  await service(api, tenant, { vendor: 'soniox' })
  const listResponse = page.waitForRequest(`**/Accounts/${account_sid}/SpeechCredentials`)
  await page.getByRole('button', { name: 'Refresh' }).click()
  await listResponse
  await expect(rows(page)).toHaveText([/Deepgram/, /Soniox/])
  // Account users cannot change the services that their provider shares.
  await expect(page.getByRole('link', { name: 'Edit Soniox' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete Deepgram (own)' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete speech service' }).click()
  await expectToast(page, 'Deleted speech service Deepgram (own)')
  await expect(rows(page)).toHaveText([/Soniox/])
  expect((await api.send('GET', `/Accounts/${account_sid}/SpeechCredentials/${own}`)).status).toBe(404)
})

test('SPEECH-13 SPEECH-14 SPEECH-15 SPEECH-16 SPEECH-69 shows the state of each service, tests new ones automatically, and others on request', async ({
  page,
  api,
  tenant,
  open,
  fakeVendors,
}) => {
  await service(api, tenant, { label: 'good' })
  await service(api, tenant, { label: 'wrong', api_key: 'something else' })
  await service(api, tenant, { label: 'off', use_for_tts: 0, use_for_stt: 0 })
  const state = (label: string) =>
    rows(page)
      .filter({ hasText: label })
      .getByText(/^Status|^Checking/)
  await open('/internal/speech-services')
  await expect(state('good')).toHaveText('Status ok')
  for (const [colorScheme, teal] of [
    ['light', 'rgb(0, 102, 92)'],
    ['dark', 'rgb(79, 209, 197)'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(state('good')).toHaveCSS('color', teal)
    await expectNoFindings(page, `states of speech services, ${colorScheme}`, { rules: ['color-contrast'] })
  }
  await expect(state('wrong')).toHaveText('Status fail')
  await expect(state('off')).toHaveText('Status not tested')
  const tip = async (label: string, text: string) => {
    await state(label).hover()
    await expect(page.getByRole('tooltip').filter({ hasText: text })).toBeVisible()
  }
  await tip('good', 'Connection test successful')
  await tip('wrong', 'TTS: Unauthorized. STT: Unauthorized')
  await tip('off', 'In order to test your credentials you need to enable TTS/STT.')
  fakeVendors.taken()
  await page.reload()
  await expect(state('good')).toHaveText('Status ok')
  await expect(rows(page).filter({ hasText: 'good' })).toContainText('just now')
  expect(fakeVendors.taken()).toEqual([])
  fakeVendors.behave('nonsense')
  await page.getByRole('button', { name: 'Test Deepgram (good)' }).press('Enter')
  await expect(state('good')).toHaveText('Status fail')
  fakeVendors.behave('ok')
  await page.getByRole('button', { name: 'Test all' }).click()
  await expect(state('good')).toHaveText('Status ok')
  await page.route('**/test', (route) => route.fulfill({ status: 500, json: { msg: 'the test failed' } }))
  await page.getByRole('button', { name: 'Test Deepgram (good)' }).press('Enter')
  await expect(state('good')).toHaveText('Status error')
  await tip('good', 'the test failed')
})

test('SPEECH-04 SPEECH-06 SPEECH-20 NAV-30 adds a service, resets the form for another vendor, and shows the service in the list', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await open('/internal/speech-services')
  await page.getByRole('link', { name: 'Add speech service' }).first().click()
  await expect(heading(page, 'Add a speech service')).toBeVisible()
  // A focused select is not replaced.
  await expect(vendorBox(page)).not.toHaveJSProperty('tagName', 'SELECT')
  await save(page).click()
  await expect(page.getByText('Choose a vendor', { exact: true }).last()).toBeVisible()
  await choose(page, 'Gladia')
  await page.getByLabel('API key').fill('key of another')
  await page.getByLabel('Region').selectOption('EU West')
  await choose(page, 'Deepgram')
  await expect(page.getByLabel('API key')).toHaveValue('')
  await expect(page.getByLabel('Region')).toHaveCount(0)
  await page.getByLabel('API key').fill(deepgram.api_key)
  await page.getByLabel('Use for text-to-speech').check()
  await page.getByRole('combobox', { name: 'Account' }).selectOption(tenant.accountName)
  await page.getByLabel('Label').fill('main')
  await expectNoFindings(page, 'add a speech service')
  const createRequest = page.waitForRequest(
    (request) =>
      request.method() === 'POST' &&
      request.url().endsWith(`/ServiceProviders/${tenant.service_provider_sid}/SpeechCredentials`),
  )
  await save(page).click()
  await createRequest
  await expectToast(page, 'Speech credential created successfully')
  await expect(usedBy(page)).toHaveValue(tenant.account_sid)
  await expect(rows(page)).toHaveText([/Deepgram.*main/])
  expect(await stored(api, tenant, true)).toMatchObject({
    vendor: 'deepgram',
    label: 'main',
    use_for_tts: 1,
    use_for_stt: 0,
  })
})

test('SPEECH-04 SPEECH-05 SPEECH-21 SPEECH-25 NAV-31 changes a service but not its vendor and owner, keeps its key, and returns to the list', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await service(api, tenant, { label: 'main' })
  const path = `/internal/speech-services/${sid}/edit`
  await open(path)
  await expect(page.getByRole('form', { name: 'Edit Speech Service' })).toBeVisible()
  await expect(heading(page, 'Edit Speech Service: Deepgram (main)')).toBeVisible()
  await expect(vendorBox(page)).toBeDisabled()
  await expect(page.getByRole('combobox', { name: 'Account' })).toBeDisabled()
  await expect(page.getByLabel('Label')).toHaveAttribute('readonly')
  await expect(page.getByRole('group', { name: 'API key' })).toContainText('deepgrXXXXXXXXXXXXXXXXXXX')
  await page.getByLabel('Use for speech-to-text').uncheck()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('Connection test successful')).toBeVisible()
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  await expect(page).toHaveURL(/\/internal\/speech-services(\?|$)/)
  await expect(rows(page)).toHaveText([/Deepgram.*main.*TTS/])
  expect(await stored(api, tenant)).toMatchObject({
    use_for_tts: 1,
    use_for_stt: 0,
    api_key: 'deepgrXXXXXXXXXXXXXXXXXXX',
  })
  await page.goto(path)
  await page.getByRole('tab', { name: 'Used by' }).click()
  await expect(page.getByText('No application uses this service.')).toBeVisible()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('tabpanel', { name: 'History' })).toContainText('Use for stt')
  await page.route('**/SpeechCredentials', (route) => route.fulfill({ status: 500, json: { msg: 'no list today' } }))
  await page.goto('/internal/speech-services')
  await expectToast(page, 'no list today')
})

test('tests a new service, unsaved changes, and a new key before they are saved', async ({
  page,
  api,
  tenant,
  open,
  fakeVendors,
}) => {
  await open('/internal/speech-services/add')
  await choose(page, 'Deepgram')
  const testNew = page.getByRole('button', { name: 'Test before saving' })
  await expect(testNew).toHaveAccessibleDescription(/you need to enable TTS/)
  await page.getByLabel('Use for speech-to-text').check()
  await testNew.click()
  await expect(page.getByLabel('API key')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('API key').fill('wrong')
  await testNew.click()
  await expect(page.getByText(/^Status fail STT: /)).toBeVisible()
  await expectNoFindings(page, 'a test of a new speech service')
  await page.getByLabel('API key').fill('deepgram-key-of-the-tests')
  await expect(page.getByText('Status fail')).toHaveCount(0)
  await testNew.click()
  await expect(page.getByText('Status ok Connection test successful')).toBeVisible()
  expect((await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/SpeechCredentials`)).body).toEqual([])

  const sid = await service(api, tenant, { use_for_stt: 0 })
  await open(`/internal/speech-services/${sid}/edit`)
  await expect(page.getByRole('form', { name: 'Edit Speech Service' })).toBeVisible()
  const testChanges = page.getByRole('button', { name: 'Test the changes' })
  await expect(testChanges).toHaveCount(0)
  await page.getByLabel('Use for speech-to-text').check()
  fakeVendors.taken()
  await testChanges.click()
  await expect(page.getByText('Status ok Connection test successful')).toBeVisible()
  expect(fakeVendors.taken()).toHaveLength(2)
  await page.getByRole('button', { name: 'Replace key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Test the new key' }).click()
  await expect(dialog.getByLabel('New API key')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('New API key').fill('wrong')
  await dialog.getByRole('button', { name: 'Test the new key' }).click()
  await expect(dialog.getByText(/^Status fail TTS: /)).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await stored(api, tenant)).toMatchObject({ use_for_stt: 0, last_tested: null })
})

test('stores credentials of vendors that newer platforms add, and says that Patchbay does not test them', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const recognizes = ['ElevenLabs', 'Gemini', 'Giggy', 'Modulate', 'Paxa', 'xAI', 'Zoom']
  const speaks = ['AssemblyAI', 'Deepgram Flux', 'Giggy', 'Gradium', 'KugelAudio', 'NineNineSix', 'Paxa', 'Phonic']
  await open('/internal/speech-services/add')
  for (const [vendors, use] of [
    [recognizes, 'Use for speech-to-text'],
    [speaks, 'Use for text-to-speech'],
  ] as const)
    for (const vendor of vendors) {
      await choose(page, vendor)
      await expect(page.getByLabel(use)).toBeVisible()
      await expect(page.getByLabel('API key')).toBeVisible()
    }
  await choose(page, 'xAI')
  await page.getByLabel('API key').fill('key-of-xai-in-a-test')
  await page.getByLabel('Model ID').fill('grok-listens')
  await page.getByLabel('Use for speech-to-text').check()
  await page.getByRole('checkbox', { name: 'Extra options' }).check()
  await page.getByLabel('Options as JSON').fill('{"speed":1}')
  await save(page).click()
  await expectToast(page, 'Speech credential created successfully')
  const { speech_credential_sid, ...credential } = await stored(api, tenant)
  expect(credential).toMatchObject({ vendor: 'xai', model_id: 'grok-listens', use_for_stt: 1, use_for_tts: 0 })
  expect(JSON.parse(credential.options)).toEqual({ speed: 1 })
  await expect(rows(page)).toHaveText([/xAI.*STT.*Status not tested/])
  await rows(page).getByText('Status not tested').hover()
  const notice = 'Not tested by Patchbay, which has no test for these credentials.'
  await expect(page.getByRole('tooltip').filter({ hasText: notice })).toBeVisible()
  await page.goto(`/internal/speech-services/${speech_credential_sid}/edit`)
  await expect(page.getByText('Never tested.')).toBeVisible()
  await expect(page.getByText(notice)).toHaveCount(0)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: notice })).toBeVisible()
})

test('stores a service of a vendor that Patchbay does not know, keeps its fields, and lets an application select it', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await open('/internal/speech-services/add')
  await choose(page, 'Other vendor')
  await page.getByLabel('Vendor name').fill('Deepgram')
  await page.getByLabel('Use for text-to-speech').check()
  const first = page.getByRole('group', { name: 'Field 1' })
  await expect(first.getByLabel('Field name')).toHaveValue('api_key')
  await first.getByLabel('Value').fill('key-of-fishaudio')
  await page.getByRole('button', { name: 'Add field' }).click()
  const second = page.getByRole('group', { name: 'Field 2' })
  await second.getByLabel('Field name').fill('label')
  await second.getByLabel('Value').fill('https://fish.example')
  await save(page).click()
  await expect(page.getByText('Enter the name as the platform spells it')).toBeVisible()
  await expect(second.getByText('label is a setting of the service')).toBeVisible()
  await page.getByLabel('Vendor name').fill('deepgram')
  await save(page).click()
  await expect(page.getByText('Choose Deepgram from the list of vendors')).toBeVisible()
  await page.getByLabel('Vendor name').fill('fishaudio')
  await second.getByLabel('Field name').fill('endpoint')
  await expectNoFindings(page, 'a service of an unknown vendor')
  await save(page).click()
  await expectToast(page, 'Speech credential created successfully')
  const { speech_credential_sid, ...credential } = await stored(api, tenant)
  const fields = { api_key: '********', endpoint: '********' }
  expect(credential).toMatchObject({ vendor: 'fishaudio', label: null, use_for_tts: 1, ...fields })
  await expect(rows(page)).toHaveText([/fishaudio.*TTS/])
  await page.goto(`/internal/speech-services/${speech_credential_sid}/edit`)
  await expect(vendorBox(page)).toHaveValue('fishaudio')
  await expect(page.getByRole('group', { name: 'endpoint' })).toContainText('********')
  await page.getByLabel('Use for speech-to-text').check()
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  expect(await stored(api, tenant)).toMatchObject({ vendor: 'fishaudio', use_for_stt: 1, ...fields })
  await page.goto(`/internal/speech-services/${speech_credential_sid}/edit`)
  await page.getByRole('button', { name: 'Replace key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace key' })
  await dialog.getByLabel('New api_key').fill('another-key')
  await dialog.getByRole('button', { name: 'Replace key' }).click()
  const form = dialog.getByRole('form', { name: 'Replace key' })
  await expect(form.getByText('endpoint must be replaced, too, because any field can be an address')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.goto('/internal/applications/add')
  const synthesis = page.getByRole('combobox', { name: 'Synthesis vendor', exact: true })
  await expect(synthesis).not.toHaveJSProperty('tagName', 'SELECT')
  await synthesis.click()
  await page.getByRole('option', { name: 'fishaudio', exact: true }).click()
  await page.getByLabel('Synthesis language').fill('en-US')
  await page.getByLabel('Synthesis voice').fill('a-voice')
  await expect(page.getByLabel('Synthesis voice')).toHaveValue('a-voice')
})

test('replaces the key of a service, which must be tested again', async ({ page, api, tenant, open }) => {
  const sid = await service(api, tenant, { label: 'main' })
  await open(`/internal/speech-services/${sid}/edit`)
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('Connection test successful')).toBeVisible()
  const keyGroup = page.getByRole('group', { name: 'API key' })
  await expect(keyGroup).toContainText('deepgrXXX')
  await page.getByRole('button', { name: 'Replace key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Replace key' })
  const replace = dialog.getByRole('button', { name: 'Replace key' })
  await replace.click()
  await expect(dialog.getByText('Enter the new API key')).toBeVisible()
  await dialog.getByLabel('New API key').fill('deepgrXXXXXXXXXXXXXXXXXXX')
  await replace.click()
  await expect(dialog.getByRole('form')).toContainText('api_key must be the new value, not the masked one')
  await dialog.getByLabel('New API key').fill('secret-of-today')
  await replace.click()
  await expectToast(page, 'The key was replaced. Test the service to check it.')
  await expect(dialog).toHaveCount(0)
  await expect(keyGroup).toContainText('secretXXX')
  await expect(page.getByText('Never tested.')).toBeVisible()
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByRole('tabpanel', { name: 'History' })).toContainText('Replaced keys')
})

test('asks for a label of a second service, and before saving a service without a use', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await service(api, tenant, {})
  await open('/internal/speech-services/add')
  await choose(page, 'Deepgram')
  await page.getByLabel('API key').fill('another-key')
  const dialog = page.getByRole('dialog', { name: 'Save without a use?' })
  await save(page).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await save(page).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter a label, because there is already a Deepgram service without one.')).toBeVisible()
  await page.getByLabel('Label').fill('second')
  await page.getByLabel('Use for speech-to-text').check()
  await save(page).click()
  await expectToast(page, 'Speech credential created successfully')
  await expect(rows(page)).toHaveCount(2)
})

test('requires the key again if a service moves to a new host', async ({ page, api, tenant, open }) => {
  const address = { deepgram_tts_uri: 'https://speech.example.com', use_for_stt: 0 }
  const sid = await service(api, tenant, { label: 'own', ...address })
  const path = `/internal/speech-services/${sid}/edit`
  await open(path)
  const keyGroup = page.getByRole('group', { name: 'API key' })
  await expect(keyGroup).toContainText('deepgrXXXXXXXXXXXXXXXXXXX')
  const uri = page.getByLabel('TTS Container URI')
  await uri.fill('https://other.example.com')
  const key = page.getByLabel('API key', { exact: true })
  await expect(key).toHaveValue('')
  await expect(page.getByText('Enter it again to send it to other.example.com.')).toBeVisible()

  await save(page).click()
  await expect(page.getByText(/api_key must be sent again/).first()).toBeVisible()
  await expect(uri).toHaveValue('https://other.example.com')
  await uri.fill('https://speech.example.com/path')
  await expect(keyGroup).toContainText('deepgrXXXXXXXXXXXXXXXXXXX')

  await uri.fill('https://other.example.com')
  await key.fill('key-for-the-other-host')
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  await expect(heading(page, 'Speech services')).toBeVisible()
  await page.goto(path)
  await expect(keyGroup).toContainText('key-foXXXXXXXXXXXXXXXX')
  await expectNoFindings(page, 'speech service on a new host')
})

test('SPEECH-03 lists the applications that use a service on its tab, and before it is deleted', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await service(api, tenant, { label: 'main' })
  const hook = { url: 'https://apps.example.org/call', method: 'POST' }
  const speech = { speech_synthesis_vendor: 'deepgram', speech_synthesis_label: 'main' }
  const { account_sid } = tenant
  const body = { name: 'Front desk', account_sid, call_hook: hook, call_status_hook: hook, ...speech }
  const application = (await api.send('POST', '/Applications', body)).body.sid as string
  await open(`/internal/speech-services/${sid}/edit?tab=used-by`)
  await page.getByRole('list', { name: '1 application' }).getByRole('link', { name: 'Front desk' }).click()
  await expect(page).toHaveURL(new RegExp(`/internal/applications/${application}/edit`))

  await open('/internal/speech-services')
  const dialog = page.getByRole('dialog', { name: 'Delete speech service?' })
  await page.route(/used-by/, (route) => route.fulfill({ status: 500, json: { msg: 'no uses today' } }))
  await page.getByRole('button', { name: /^Delete Deepgram/ }).click()
  await expect(dialog).toContainText('Could not check which applications use it: no uses today')
  await page.keyboard.press('Escape')
  await page.unroute(/used-by/)
  const release = await hold(page, /used-by/)
  await page.getByRole('button', { name: /^Delete Deepgram/ }).click()
  await expect(dialog).toContainText('Checking which applications use it…')
  release()
  await expect(dialog.getByRole('list', { name: '1 application' }).getByRole('link')).toHaveText(['Front desk'])
  await dialog.getByRole('button', { name: 'Delete speech service' }).click()
  await expectToast(page, 'Deleted speech service Deepgram (main)')
  await expect(rows(page)).toHaveCount(0)
})

test('SPEECH-22 SPEECH-23 SPEECH-24 denies opening and changing the services of other tenants', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const ofAll = await service(api, tenant)
  const own = await service(api, tenant, { account_sid, label: 'own' })
  const user = await api.person({ service_provider_sid, account_sid })
  await open(`/internal/speech-services/${ofAll}/edit`, user.token)
  await expectToast(page, 'You do not have access to this resource')
  await expect(page).toHaveURL(/\/internal\/speech-services$/)
  // A user of another account has signed in in another tab.
  const other = await api.person({ service_provider_sid, account_sid: await api.account(service_provider_sid) })
  await page.getByRole('link', { name: 'Deepgram', exact: true }).click()
  await page.getByLabel('Use for text-to-speech').uncheck()
  await page.evaluate((token) => localStorage.setItem('token', token), other.token)
  await save(page).click()
  await expectToast(page, 'You do not have permissions to make changes to these Speech Credentials')
  await page.getByRole('button', { name: 'Delete speech service' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete speech service' }).click()
  await expectToast(page, 'You do not have permissions to delete these Speech Credentials')
  expect((await api.send('GET', `/Accounts/${account_sid}/SpeechCredentials/${own}`)).body.use_for_tts).toBe(1)
})

test('ROLES-20 uses the path of the service provider for all requests of its users', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid } = tenant
  const { token } = await api.person({ service_provider_sid })
  await service(api, tenant, { label: 'main' })
  const methods = new Set<string>()
  const foreignPaths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.includes('/SpeechCredentials')) return
    methods.add(request.method())
    if (!pathname.startsWith(`/api/v1/ServiceProviders/${service_provider_sid}/SpeechCredentials`))
      foreignPaths.push(pathname)
  })
  await open('/internal/speech-services/add', token)
  await choose(page, 'Deepgram')
  await page.getByLabel('API key').fill(deepgram.api_key)
  await page.getByLabel('Use for text-to-speech').check()
  await page.getByLabel('Label').fill('second')
  await save(page).click()
  await expectToast(page, 'Speech credential created successfully')
  await page.getByRole('link', { name: 'Edit Deepgram (second)' }).click()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(page.getByText('Connection test successful')).toBeVisible()
  await page.getByLabel('Use for speech-to-text').check()
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  await page.getByRole('button', { name: 'Delete Deepgram (second)' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete speech service' }).click()
  await expectToast(page, 'Deleted speech service Deepgram (second)')
  expect([...methods].sort()).toEqual(['DELETE', 'GET', 'POST', 'PUT'])
  expect(foreignPaths).toEqual([])
})

test.describe('fields of each vendor', () => {
  test.beforeEach(async ({ open }) => open('/internal/speech-services/add'))

  test('SPEECH-12 SPEECH-27 SPEECH-57 SPEECH-58 SPEECH-47 AWS by its types of credentials, and OpenAI', async ({
    page,
  }) => {
    await asksFor(page, 'AWS', {}, ['Enter the access key ID', 'Enter the secret access key', 'Choose the region'])
    await expect(page.getByLabel('Role ARN')).toHaveCount(0)
    await asksFor(page, 'AWS', { 'Credential type': 'AWS assume role' }, ['Enter the role ARN', 'Choose the region'])
    await expect(page.getByLabel('Access key ID')).toHaveCount(0)
    await expect(page.getByRole('group', { name: 'External ID' })).toContainText(/[0-9a-f-]{36}/)
    await asksFor(page, 'AWS', { 'Credential type': 'AWS instance profile' }, ['Choose the region'])
    for (const absent of ['Access key ID', 'Secret access key', 'Role ARN'])
      await expect(page.getByLabel(absent)).toHaveCount(0)
    await asksFor(page, 'OpenAI', {}, ['Enter the API key'])
    await expect(page.getByLabel('Model', { exact: true })).toHaveValue('whisper-1')
  })

  test('SPEECH-08 SPEECH-09 SPEECH-29 SPEECH-59 SPEECH-60 Microsoft, hosted and in containers', async ({ page }) => {
    const hosted = ['Choose the region', 'Enter the API key']
    await asksFor(page, 'Microsoft', {}, hosted)
    await asksFor(page, 'Microsoft', { 'Use custom voice': true }, [...hosted, 'Enter the custom voice deployment ID'])
    const containers = ['Enter the TTS Container URI', 'Enter the STT Container URI']
    await asksFor(page, 'Microsoft', { Service: 'Use Azure Docker container (on-prem)' }, containers)
    await expect(page.getByLabel('Region')).toHaveCount(0)
    await expect(page.getByLabel('Use custom voice')).toHaveCount(0)
  })

  test('SPEECH-61 SPEECH-30 SPEECH-62 SPEECH-32 SPEECH-63 Deepgram and Nuance, hosted and in containers', async ({
    page,
  }) => {
    await asksFor(page, 'Microsoft', { 'Use custom speech model': true }, [
      'Choose the region',
      'Enter the API key',
      'Enter the custom speech endpoint ID',
    ])
    await asksFor(page, 'Deepgram', {}, ['Enter the API key'])
    await asksFor(page, 'Deepgram', { Service: 'On-premise' }, [
      'Enter the STT Container URI',
      'Enter the TTS Container URI',
    ])
    await expect(page.getByLabel('Use TLS for STT')).toBeVisible()
    await asksFor(page, 'Nuance', {}, ['Enter the client ID', 'Enter the secret'])
    const containers = { 'Use on-prem TTS': true, 'Use on-prem STT': true } as const
    await asksFor(page, 'Nuance', containers, ['Enter the TTS Container URI', 'Enter the STT Container URI'])
    await page.getByLabel('TTS Container URI').fill('nuance.example.org')
    await page.getByLabel('STT Container URI').fill('nuance.example.org:1234567')
    await save(page).click()
    await expect(page.getByText('Must be host:port')).toHaveCount(2)
  })

  test('SPEECH-37 SPEECH-64 SPEECH-65 SPEECH-36 SPEECH-43 custom vendors, Speechmatics, and PlayHT', async ({
    page,
  }) => {
    await choose(page, 'Custom')
    await save(page).click()
    await expect(page.getByText('Enter a name')).toBeVisible()
    await asksFor(page, 'Custom', {}, ['Enter the http URL (non-streaming)', 'Enter the STT websocket URL'])
    await expect(page.getByLabel('Authentication Token')).toBeVisible()
    await page.getByLabel('Ws URL (streaming)').fill('wss://speech.example.org')
    await expect(page.getByText('Enter the http URL (non-streaming)')).toHaveCount(0)
    await asksFor(page, 'Speechmatics', {}, ['Enter the API key', 'Choose the endpoint'])
    await asksFor(page, 'Speechmatics', { Service: 'On-premise' }, ['Enter the API key', 'Enter the endpoint URI'])
    await asksFor(page, 'PlayHT', {}, ['Enter the user ID', 'Enter the API key'])
    await expect(page.getByLabel('Voice Engine')).toHaveValue('Play3.0')
  })

  test('SPEECH-66 SPEECH-33 SPEECH-34 SPEECH-35 SPEECH-38 PlayHT in a container, Nvidia, WellSaid, Soniox and Cobalt', async ({
    page,
  }) => {
    const key = ['Enter the API key']
    await asksFor(page, 'PlayHT', { Service: 'On-premise' }, [
      'Enter the TTS Container URI',
      'Enter the user ID',
      ...key,
    ])
    await asksFor(page, 'Nvidia', {}, ['Enter the riva Server Uri'])
    await asksFor(page, 'WellSaid', {}, key)
    await asksFor(page, 'Soniox', {}, key)
    await asksFor(page, 'Cobalt', {}, ['Enter the server URI'])
  })

  test('SPEECH-39 stores ElevenLabs with a key and one of its models, without extra options', async ({
    page,
    api,
    tenant,
  }) => {
    await choose(page, 'ElevenLabs')
    await page.getByLabel('Use for text-to-speech').check()
    const model = page.getByLabel('Model', { exact: true })
    const secondModel = model.locator('option[value^="eleven_"]').nth(1)
    const model_id = (await secondModel.getAttribute('value')) ?? ''
    await model.selectOption(model_id)
    await page.getByLabel('API key').fill('key-of-elevenlabs')
    await save(page).click()
    await expectToast(page, 'Speech credential created successfully')
    expect(await stored(api, tenant)).toMatchObject({ vendor: 'elevenlabs', model_id, options: null })
  })

  test('SPEECH-39 SPEECH-40 SPEECH-41 SPEECH-42 SPEECH-44 ElevenLabs, AssemblyAI, Voxist, Whisper and RimeLabs', async ({
    page,
  }) => {
    const key = ['Enter the API key']
    for (const [vendor, model] of [
      ['ElevenLabs', 'eleven_'],
      ['Whisper', 'tts-1'],
      ['RimeLabs', 'arcana'],
    ] as const) {
      await asksFor(page, vendor, {}, key)
      await expect(page.getByLabel('Model', { exact: true })).toHaveValue(new RegExp(`^${model}`))
      await expect(page.getByLabel('Extra options')).toHaveCount(vendor === 'Whisper' ? 0 : 1)
    }
    await asksFor(page, 'AssemblyAI', {}, key)
    await asksFor(page, 'Voxist', {}, key)
  })

  test('SPEECH-07 SPEECH-31 SPEECH-45 SPEECH-46 SPEECH-10 IBM, Verbio and Cartesia; extra options are JSON', async ({
    page,
    api,
    tenant,
  }) => {
    const stt = ['Choose the STT region', 'Enter the STT API key', 'Enter the speech instance ID']
    await asksFor(page, 'IBM', {}, ['Choose the TTS region', 'Enter the TTS API key', ...stt])
    await page.getByLabel('Use for text-to-speech').uncheck()
    await expect(page.getByLabel('TTS region')).toHaveCount(0)
    await asksFor(page, 'Verbio', {}, ['Enter the client ID', 'Enter the client secret'])
    await expect(page.getByLabel('Engine version')).toHaveValue('V1')
    await asksFor(page, 'Cartesia', { 'Extra options': true }, ['Enter the API key'])
    await expect(page.getByLabel('STT Model ID')).toHaveValue('ink-whisper')
    const box = page.getByLabel('Options as JSON')
    await expect(box).toHaveAttribute('rows', '6')
    await box.fill('{"speed":1')
    await expect(page.getByText('Must be a JSON object')).toBeVisible()
    await page.getByRole('button', { name: 'Beautify' }).click()
    await expect(box).toHaveValue('{"speed":1')
    await box.fill('{"speed":1}')
    await page.getByRole('button', { name: 'Beautify' }).click()
    await expect(box).toHaveValue('{\n  "speed": 1\n}')
    await page.getByLabel('API key').fill('cartesia-key')
    await save(page).click()
    await expectToast(page, 'Speech credential created successfully')
    expect(await stored(api, tenant)).toMatchObject({
      vendor: 'cartesia',
      options: '{\n  "speed": 1\n}',
      stt_model_id: 'ink-whisper',
    })
  })

  test('SPEECH-46 requires the models of Cartesia for each use, also if its models cannot be listed', async ({
    page,
  }) => {
    await page.route('**/supportedLanguagesAndVoices*', (route) =>
      route.fulfill({ status: 503, json: { msg: 'unavailable' } }),
    )
    const key = 'Enter the API key'
    await asksFor(page, 'Cartesia', {}, [key, 'Choose the TTS Model ID', 'Choose the STT Model ID'])
    await page.getByLabel('Use for speech-to-text').uncheck()
    await expect(page.getByLabel('STT Model ID')).toHaveCount(0)
    await save(page).click()
    const messages = page.getByText(/^(?:Enter|Choose) the |^Must be /)
    await expect(messages).toHaveText([key, 'Choose the TTS Model ID'])
    await page.getByLabel('Use for speech-to-text').check()
    await page.getByLabel('Use for text-to-speech').uncheck()
    await save(page).click()
    await expect(messages).toHaveText([key, 'Choose the STT Model ID'])
  })

  test('SPEECH-26 SPEECH-28 COMMON-09 COMMON-15 requires a key file for Google, and offers all vendors except those switched off', async ({
    page,
    api,
    tenant,
  }, info) => {
    await asksFor(page, 'Google', {}, ['Choose the service key'])
    const bad = info.outputPath('bad.json')
    await writeFile(bad, 'no JSON')
    await page.getByLabel('Service key').setInputFiles(bad)
    await expectToast(page, 'Invalid service key file, could not parse as JSON.')
    const good = info.outputPath('key.json')
    const key = { private_key: '-----BEGIN PRIVATE KEY-----\nabcdefghijkl', client_email: 'speech@example.org' }
    await writeFile(good, JSON.stringify(key))
    await page.getByLabel('Service key').setInputFiles(good)
    await expect(page.getByText('Key of speech@example.org, not saved yet')).toBeVisible()
    await save(page).click()
    await expectToast(page, 'Speech credential created successfully')
    const { service_key } = await stored(api, tenant)
    expect(JSON.parse(service_key)).toEqual({ ...key, private_key: '-----BEGIN PRIVATE KEY-----\nabcdefXXXXXX' })
    const vendors =
      'AWS Google Deepgram IBM Microsoft Nuance Nvidia WellSaid Soniox Speechmatics Custom Cobalt ElevenLabs AssemblyAI Voxist Whisper PlayHT RimeLabs Verbio Cartesia OpenAI'.split(
        ' ',
      )
    const offered = async () => {
      await page.goto('/internal/speech-services/add')
      await expect(vendorBox(page)).not.toHaveJSProperty('tagName', 'SELECT')
      await vendorBox(page).click()
      await expect(page.getByRole('option', { name: 'Whisper' })).toBeVisible()
      return page.getByRole('option').allTextContents()
    }
    expect(await offered()).toEqual(expect.arrayContaining(vendors))
    await page.route('**/config.json', async (route) => {
      const config = await (await route.fetch()).json()
      await route.fulfill({ json: { ...config, switches: ['no-custom-speech', 'no-additional-speech-vendors'] } })
    })
    const remainingVendors = await offered()
    expect(remainingVendors).not.toContain('Custom')
    expect(remainingVendors).not.toContain('Speechmatics')
  })
})

test('SPEECH-48 SPEECH-49 SPEECH-50 stores custom voices with a Google credential, with a model or a cloning key', async ({
  page,
  api,
  tenant,
  open,
}, info) => {
  const key = { private_key: '-----BEGIN PRIVATE KEY-----\nabcdefghijkl', client_email: 'speech@example.org' }
  const google = { vendor: 'google', service_key: JSON.stringify(key), api_key: null, use_for_tts: 0, use_for_stt: 0 }
  const sid = await service(api, tenant, google)
  const voices = async () => (await api.send('GET', `/GoogleCustomVoices?speech_credential_sid=${sid}`)).body
  const voice = (at: number) => page.getByRole('group', { name: `Voice ${at}`, exact: true })
  const path = `/internal/speech-services/${sid}/edit`
  await open(path)
  await expect(page.getByLabel('Use custom voices')).toHaveCount(0)
  await page.getByLabel('Use for text-to-speech').check()
  await page.getByLabel('Use custom voices').check()
  await expect(voice(1).getByLabel('Reported usage')).toHaveValue('REALTIME')
  await expect(page.getByRole('button', { name: 'Remove voice 1' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'Remove voice 1' }).hover()
  await expect(
    page.getByRole('tooltip').filter({ hasText: 'You must provide at least one custom voice.' }),
  ).toBeVisible()
  await save(page).click()
  await expect(page.getByText('Enter the name')).toBeVisible()
  await expect(page.getByText('Enter the model')).toBeVisible()
  await voice(1).getByLabel('Name').fill('Reception')
  await voice(1).getByLabel('Model').fill('projects/1/voices/reception')
  await page.getByRole('button', { name: 'Add a voice' }).click()
  await voice(2).getByLabel('Name').fill('Cloned')
  await voice(2).getByLabel('Use voice cloning key').check()
  await expect(voice(2).getByLabel('Model')).toHaveCount(0)
  await save(page).click()
  await expect(page.getByText('Choose the file of the cloning key')).toBeVisible()
  const file = info.outputPath('clone.txt')
  await writeFile(file, `${'k'.repeat(100)}the rest of the key`)
  await voice(2).getByLabel('Voice cloning key', { exact: true }).setInputFiles(file)
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  const [cloned, reception] = (await voices()).toSorted((one: { name: string }, other: { name: string }) =>
    one.name.localeCompare(other.name),
  )
  expect(reception).toMatchObject({ name: 'Reception', model: 'projects/1/voices/reception', use_voice_cloning_key: 0 })
  expect(cloned).toMatchObject({ name: 'Cloned', use_voice_cloning_key: 1, voice_cloning_key: `${'k'.repeat(100)}...` })
  await expect(heading(page, 'Speech services')).toBeVisible()
  await page.goto(path)
  await expect(page.getByText(`${'k'.repeat(100)}...`)).toBeVisible()
  await expectNoFindings(page, 'custom voices')
  await page.getByRole('button', { name: 'Remove voice 1' }).click()
  await save(page).click()
  await expect.poll(async () => (await voices()).length).toBe(1)
  await page.goto(path)
  await page.getByLabel('Use custom voices').uncheck()
  await save(page).click()
  await expect.poll(async () => (await voices()).length).toBe(0)
})

test('previews a voice from a service and from the application that uses it', async ({
  page,
  api,
  tenant,
  open,
  fakeVendors,
}) => {
  const { account_sid } = tenant
  const sid = await service(api, tenant)
  const heard = async () => {
    const audio = page.getByLabel('Voice preview')
    await expect(page.getByText(/First byte after \d+ ms, \d+\.\d kB/)).toBeVisible()
    // The browser can play the audio.
    await expect.poll(() => audio.evaluate((element: HTMLAudioElement) => element.duration)).toBeGreaterThan(1)
  }
  await open(`/internal/speech-services/${sid}/edit`)
  await page.getByRole('tab', { name: 'Hear it' }).click()
  await page.getByLabel('Sentence').fill('Good morning.')
  await page.getByLabel('Sentence').press('Enter')
  await heard()
  await expectNoFindings(page, 'hear it')
  fakeVendors.behave('nonsense')
  await page.getByRole('button', { name: 'Hear it' }).click()
  await expectToast(page, 'The vendor answered without audio')
  fakeVendors.behave('ok')

  const hook = { url: 'https://hooks.example.org' }
  const speech = { speech_synthesis_vendor: 'deepgram', speech_synthesis_voice: 'aura-asteria-en' }
  const created = await api.send('POST', '/Applications', {
    name: 'speaks',
    account_sid,
    call_hook: hook,
    call_status_hook: hook,
    ...speech,
  })
  await page.goto(`/internal/applications/${created.body.sid}/edit`)
  await page.getByRole('button', { name: 'Hear this voice' }).click()
  await page.getByRole('button', { name: 'Hear it' }).click()
  await heard()
  // The preview does not change the application.
  await expect(unsavedChanges(page)).toHaveCount(0)
})
