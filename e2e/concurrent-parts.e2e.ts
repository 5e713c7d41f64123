import type { Page } from '@playwright/test'
import { failOnce, save, withoutExtensions } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Two users edit records that several requests save: each request compares the version of its own record. */

const conflict = (page: Page) => page.getByRole('dialog', { name: 'Another user changed this record' })
const name = (page: Page) => page.getByLabel('Account name')
/** Account names are unique. */
const ownName = ({ account_sid }: Tenant) => `Mine ${account_sid}`
const maxCalls = (page: Page) => page.getByLabel('Max calls')

/** Collects the requests that read or change data of a form, as method and last part of the path. */
const collectRequests = (page: Page): string[] => {
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    const record = /(Accounts|ServiceProviders|Limits|Review\w+|SpeechCredentials|GoogleCustomVoices)(\/[\w-]{36})?$/
    const matched = record.exec(pathname)?.[1]
    if (matched) requests.push(`${request.method()} ${matched}`)
  })
  return requests
}

/** Returns the requests up to the last one that changes data. Reads after it refresh the page. */
const toLastWrite = (requests: readonly string[]): string[] =>
  requests.slice(0, requests.findLastIndex((request) => !request.startsWith('GET')) + 1)

interface Edited {
  title: string
  screen: (tenant: Tenant) => string | Promise<string>
  type: (page: Page) => Promise<void>
  writes: string[]
  toast: string
}

const deepgram = { vendor: 'deepgram', api_key: 'deepgram-key-of-the-tests', use_for_tts: 1, use_for_stt: 1 }

const createService = async (api: Api, { service_provider_sid }: Tenant): Promise<string> =>
  (await api.send('POST', `/ServiceProviders/${service_provider_sid}/SpeechCredentials`, deepgram)).body.sid

const forms: Edited[] = [
  {
    title: 'limits of an account',
    screen: ({ account_sid }) => `/internal/accounts/${account_sid}/edit`,
    type: (page) => maxCalls(page).fill('12'),
    writes: ['PUT Limits'],
    toast: 'Account updated successfully',
  },
  {
    title: 'webhooks and limits of an account',
    screen: ({ account_sid }) => `/internal/accounts/${account_sid}/edit`,
    type: async (page) => {
      await page.getByLabel('Registration webhook URL').fill('https://hooks.example.org/register')
      await maxCalls(page).fill('12')
    },
    writes: ['PUT Accounts', 'PUT Limits'],
    toast: 'Account updated successfully',
  },
  {
    title: 'name and limits of a provider',
    screen: () => '/internal/settings?tab=provider',
    type: async (page) => {
      await page.getByLabel('Enable MS Teams Direct Routing').check()
      await page.getByLabel('SBC domain name').fill('sbc.example.org')
      await maxCalls(page).fill('12')
    },
    writes: ['PUT ServiceProviders', 'PUT Limits'],
    toast: 'Settings updated',
  },
  {
    title: 'rules of reviews',
    screen: () => '/internal/reviews/settings',
    type: (page) => page.getByLabel('Calls with errors').click(),
    writes: ['PUT ReviewSettings'],
    toast: 'Review settings updated',
  },
]

for (const { title, screen, type, writes, toast } of forms)
  test(`a save of ${title} only writes`, async ({ page, open, tenant }) => {
    await open(await screen(tenant))
    await type(page)
    const requests = collectRequests(page)
    await save(page).click()
    await expectToast(page, toast)
    expect(toLastWrite(requests)).toEqual(writes)
  })

test('a save of a speech service only writes, and merges changes of other fields', async ({
  page,
  open,
  tenant,
  api,
}) => {
  const sid = await createService(api, tenant)
  const path = `/ServiceProviders/${tenant.service_provider_sid}/SpeechCredentials/${sid}`
  await open(`/internal/speech-services/${sid}/edit`)
  await page.getByLabel('Use for text-to-speech').uncheck()
  const requests = collectRequests(page)
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  expect(toLastWrite(requests)).toEqual(['PUT SpeechCredentials'])

  await open(`/internal/speech-services/${sid}/edit`)
  await page.getByLabel('Use for text-to-speech').check()
  await api.send('PUT', path, { use_for_tts: 0, use_for_stt: 0 })
  requests.length = 0
  await save(page).click()
  await expectToast(page, 'Speech credential updated successfully')
  expect(toLastWrite(requests)).toEqual(['PUT SpeechCredentials', 'PUT SpeechCredentials'])
  expect((await api.send('GET', path)).body).toMatchObject({ use_for_tts: 1, use_for_stt: 0 })
})

test('a form that stays open saves again with one request', async ({ page, open, tenant, api }) => {
  const path = `/patchbay/ServiceProviders/${tenant.service_provider_sid}/ReviewSettings`
  await open('/internal/reviews/settings')
  const requests = collectRequests(page)
  for (const percent of ['11', '12']) {
    await page.getByLabel('Random sample of all calls').fill(percent)
    requests.length = 0
    await save(page).click()
    await expectToast(page, 'Review settings updated')
    expect(toLastWrite(requests)).toEqual(['PUT ReviewSettings'])
    await page.getByRole('button', { name: 'Dismiss' }).click()
  }
  expect((await api.send('GET', path)).body).toMatchObject({ random_percent: 12 })
})

test.describe('with a changed limit of an account', () => {
  const limitsPath = ({ account_sid }: Tenant) => `/Accounts/${account_sid}/Limits`
  const setLimit = (api: Api, tenant: Tenant, category: string, quantity: number) =>
    api.send('POST', limitsPath(tenant), { category, quantity })
  const readLimits = async (api: Api, tenant: Tenant) =>
    Object.fromEntries(
      (await api.send('GET', limitsPath(tenant))).body.map((row: { category: string; quantity: number }) => [
        row.category,
        row.quantity,
      ]),
    )

  test('merges another limit, and saves what was not saved before', async ({ page, open, tenant, api }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await name(page).fill(ownName(tenant))
    await maxCalls(page).fill('12')
    await setLimit(api, tenant, 'device', 3)
    const requests = collectRequests(page)
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
    expect(toLastWrite(requests)).toEqual(['PUT Accounts', 'PUT Limits', 'PUT Limits'])
    expect(await readLimits(api, tenant)).toEqual({ device: 3, voice_call_session: 12 })
  })

  test('asks about the limit only, and does not save the name again', async ({ page, open, tenant, api }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await name(page).fill(ownName(tenant))
    await maxCalls(page).fill('12')
    await setLimit(api, tenant, 'voice_call_session', 7)
    const requests = collectRequests(page)
    await save(page).click()
    await expect(conflict(page).getByRole('row', { name: /Max calls.* 7 12/ })).toBeVisible()
    await expect(conflict(page).getByRole('row')).toHaveCount(2)
    await page.keyboard.press('Escape')
    await expect(conflict(page)).toHaveCount(0)
    await name(page).fill(`${ownName(tenant)} again`)
    await save(page).click()
    // The name was saved before, so that its further change is no conflict.
    await expect(conflict(page).getByRole('row', { name: /Max calls.* 7 12/ })).toBeVisible()
    await expect(conflict(page).getByRole('row')).toHaveCount(2)
    await conflict(page).getByRole('button', { name: 'Save my values' }).click()
    await expectToast(page, 'Account updated successfully')
    expect(requests.filter((request) => request.startsWith('PUT')).at(-1)).toBe('PUT Limits')
    expect(await readLimits(api, tenant)).toEqual({ voice_call_session: 12 })
    expect((await api.send('GET', `/Accounts/${tenant.account_sid}`)).body.name).toBe(`${ownName(tenant)} again`)
  })

  test('sends only the part that failed on the next save', async ({ page, open, tenant, api }) => {
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await name(page).fill(ownName(tenant))
    await maxCalls(page).fill('12')
    await failOnce(page, '**/patchbay/Accounts/*/Limits', 'The disk is full')
    await save(page).click()
    await expect(
      page.getByRole('form').getByText('Saved: account. Not saved: Max calls (The disk is full).'),
    ).toBeVisible()
    const requests = collectRequests(page)
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
    expect(toLastWrite(requests)).toEqual(['PUT Limits'])
    expect(await readLimits(api, tenant)).toEqual({ voice_call_session: 12 })
  })

  test('reads the changed records before each save on a server without versions', async ({
    page,
    open,
    tenant,
    api,
  }) => {
    await withoutExtensions(page)
    await open(`/internal/accounts/${tenant.account_sid}/edit`)
    await name(page).fill(ownName(tenant))
    await maxCalls(page).fill('12')
    await setLimit(api, tenant, 'device', 3)
    const requests = collectRequests(page)
    await save(page).click()
    await expectToast(page, 'Account updated successfully')
    const [first, ...rest] = toLastWrite(requests).filter((request) => !request.endsWith('taken'))
    expect(first).toBe('GET Accounts')
    expect(rest.filter((request) => !request.startsWith('GET'))).toEqual(['PUT Accounts', 'POST Limits'])
    expect(rest.slice(rest.indexOf('PUT Accounts') + 1)).toEqual(['GET Limits', 'GET Limits', 'POST Limits'])
    expect(await readLimits(api, tenant)).toEqual({ device: 3, voice_call_session: 12 })
  })
})
