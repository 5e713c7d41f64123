import { type S3Server, startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { test as base, expect } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Storage settings for an account's recordings, with an S3 server. */

const test = base.extend<object, { s3: S3Server }>({
  settings: [{ PRIVATE_NETWORKS: loopbackNetwork }, { scope: 'worker' }],
  s3: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const s3 = await startS3Server()
      await use(s3)
      await s3.stop()
    },
    { scope: 'worker' },
  ],
})

const edit = (account_sid: string) => `/internal/accounts/${account_sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save' })
const toggle = (page: Page) => page.getByLabel('Enable call recording')
const vendor = (page: Page) => page.getByLabel('Bucket Vendor')
const tryIt = (page: Page) => page.getByRole('button', { name: 'Test', exact: true })
const processed =
  'Your requested changes are being processed. Please do not leave the page or hit the back button until complete.'

const fillS3 = async (page: Page, { credential }: S3Server) => {
  await vendor(page).selectOption('AWS S3 Compatible')
  await page.getByLabel('Endpoint URI').fill(credential.endpoint)
  await page.getByLabel('Bucket Name').fill(credential.name)
  await page.getByLabel('Access key ID').fill(credential.access_key_id)
  await page.getByLabel('Secret access key').fill(credential.secret_access_key)
}

test('ACCOUNTS-16 ACCOUNTS-19 ACCOUNTS-20 ACCOUNTS-18 switches recording on with a format and a storage, and shows a notice', async ({
  page,
  api,
  tenant,
  open,
  s3,
}) => {
  await open(edit(tenant.account_sid))
  await expect(page.getByRole('region', { name: 'Call recording' })).toBeVisible()
  await expect(vendor(page)).toHaveCount(0)
  await toggle(page).check()
  await expect(page.getByLabel('Audio Format')).toHaveValue('mp3')
  expect(await page.getByLabel('Audio Format').getByRole('option').allTextContents()).toEqual(['mp3', 'wav'])
  expect(await vendor(page).getByRole('option').allTextContents()).toEqual([
    'None',
    'AWS S3',
    'AWS S3 Compatible',
    'Azure Cloud Storage',
    'Google Cloud Storage',
  ])
  await page.getByLabel('Audio Format').selectOption('wav')
  await fillS3(page, s3)
  await page.getByRole('button', { name: 'Add tag' }).click()
  await page.getByLabel('Name of tag 1').fill('team name')
  await save(page).click()
  await expect(page.getByText('Enter a value')).toBeVisible()
  await page.getByLabel('Value of tag 1').fill('support')
  await save(page).click()
  await expect(page.getByText(/^Must contain only letters .* because S3 sends names in HTTP headers$/)).toBeVisible()
  await page.getByLabel('Name of tag 1').fill('team')
  await page.getByLabel('Record all calls for this account').check()

  let answer = () => {}
  const released = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/Accounts/*', async (route) => {
    if (route.request().method() === 'PUT') await released
    await route.fallback()
  })
  await save(page).click()
  const notice = page.getByRole('dialog', { name: processed })
  await expect(notice).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(notice).toBeVisible()
  answer()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  await expect(notice).toHaveCount(0)
  const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
  expect(body).toMatchObject({
    record_all_calls: 1,
    record_format: 'wav',
    bucket_credential: {
      ...s3.credential,
      secret_access_key: 'the seXXXXXXXXXXXXXXXXXXXXXX',
      tags: [{ Key: 'team', Value: 'support' }],
    },
  })
})

test('ACCOUNTS-28 ACCOUNTS-29 ACCOUNTS-30 tests a storage after its fields are filled, and shows the error', async ({
  page,
  tenant,
  open,
  s3,
}) => {
  await open(edit(tenant.account_sid))
  await toggle(page).check()
  await expect(tryIt(page)).toHaveCount(0)
  await vendor(page).selectOption('AWS S3 Compatible')
  await expect(tryIt(page)).toHaveAttribute('aria-disabled', 'true')
  await fillS3(page, s3)
  await page.getByLabel('Bucket Name').fill('nowhere')
  await expect(tryIt(page)).not.toHaveAttribute('aria-disabled')
  await tryIt(page).click()
  await expectToast(page, 'The specified bucket does not exist')
  await page.getByLabel('Bucket Name').fill(s3.credential.name)
  await tryIt(page).click()
  await expectToast(page, 'Bucket Credential is valid.')
  expect([...s3.objects.keys()]).toEqual([])
  for (const [name, label] of [
    ['AWS S3', 'Bucket Name'],
    ['Azure Cloud Storage', 'Connection String'],
    ['Google Cloud Storage', 'Bucket Name'],
  ] as const) {
    await vendor(page).selectOption(name)
    await page.getByLabel(label).fill('')
    await expect(tryIt(page)).toHaveAttribute('aria-disabled', 'true')
  }
})

test('ACCOUNTS-17 keeps an untouched credential, replaces its secret as a whole, and removes it when switched off', async ({
  page,
  api,
  tenant,
  open,
  s3,
}) => {
  const path = `/Accounts/${tenant.account_sid}`
  const credential = { ...s3.credential, secret_access_key: 'a-stored-secret' }
  await api.send('PUT', path, { bucket_credential: credential, record_all_calls: true })
  const updateBodies: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') updateBodies.push(request.postDataJSON() as Record<string, unknown>)
  })
  await open(edit(tenant.account_sid))
  await expect(toggle(page)).toBeChecked()
  await page.getByLabel('Account name').fill('Untouched')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  expect(updateBodies).toEqual([{ name: 'Untouched' }])

  await page.goto(edit(tenant.account_sid))
  await expect(page.getByRole('group', { name: 'Secret access key' })).toContainText('a-storXXXXXXXXX')
  await expect(page.getByRole('textbox', { name: 'Secret access key' })).toHaveCount(0)
  await tryIt(page).click()
  await expectToast(page, 'does not match')
  await page.getByRole('button', { name: 'Replace Secret access key' }).click()
  await expect(page.getByLabel('Secret access key')).toBeFocused()
  await page.getByRole('button', { name: 'Keep the stored value' }).click()
  await expect(page.getByRole('group', { name: 'Secret access key' })).toContainText('a-storXXXXXXXXX')
  await page.getByRole('button', { name: 'Replace Secret access key' }).click()
  await page.getByLabel('Secret access key').fill(s3.credential.secret_access_key)
  await tryIt(page).click()
  await expectToast(page, 'Bucket Credential is valid.')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  expect(updateBodies.at(-1)).toEqual({ bucket_credential: s3.credential })

  await page.goto(edit(tenant.account_sid))
  await toggle(page).uncheck()
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  expect(updateBodies.at(-1)).toEqual({ record_all_calls: 0, bucket_credential: { vendor: 'none' } })
  expect((await api.send('GET', path)).body).toMatchObject({ record_all_calls: 0, bucket_credential: null })
})

test('ACCOUNTS-25 ERRORS-14 reads the key of a Google service account from a file, and explains an invalid file', async ({
  page,
  api,
  tenant,
  open,
}) => {
  await open(edit(tenant.account_sid))
  await toggle(page).check()
  await vendor(page).selectOption('Google Cloud Storage')
  await page.getByLabel('Bucket Name').fill('recordings')
  const file = page.getByLabel('Service key')
  const choose = (text: string) =>
    file.setInputFiles({ name: 'key.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  for (const text of ['no json', '{"private_key":"x"}']) {
    await choose(text)
    await expect(page.getByText('Invalid service key file, could not parse as JSON.')).toBeVisible()
  }
  await page.evaluate(() => {
    const { text } = File.prototype
    File.prototype.text = () => {
      File.prototype.text = text
      return Promise.reject(new Error('the disk is gone'))
    }
  })
  await choose('{}')
  await expect(page.getByText('Failed to read file: the disk is gone')).toBeVisible()
  const key = { private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN', client_email: 'rec@p.example' }
  await choose(JSON.stringify(key))
  await expect(page.getByText('Key of rec@p.example, not saved yet')).toBeVisible()
  await expect(page.getByText('Failed to read file')).toHaveCount(0)
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  await page.goto(edit(tenant.account_sid))
  await expect(page.getByText('Key of rec@p.example, stored')).toBeVisible()
  await page.getByLabel('Bucket Name').fill('others')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  const { body } = await api.send('GET', `/Accounts/${tenant.account_sid}`)
  expect(body.bucket_credential).toMatchObject({ vendor: 'google', name: 'others' })
  expect(JSON.parse(body.bucket_credential.service_key)).toMatchObject({ client_email: 'rec@p.example' })
})

test('COMMON-14 hides the settings if call recording is switched off', async ({ page, tenant, open }) => {
  await page.route('**/config.json', async (route) => {
    const config = await (await route.fetch()).json()
    await route.fulfill({ json: { ...config, switches: [...config.switches, 'no-call-recording'] } })
  })
  await open(edit(tenant.account_sid))
  await expect(page.getByRole('region', { name: 'Webhooks' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Call recording' })).toHaveCount(0)
})

test('shows view-only users the settings, without changes and tests', async ({ page, api, tenant, open, s3 }) => {
  const { account_sid, service_provider_sid } = tenant
  await api.send('PUT', `/Accounts/${account_sid}`, { bucket_credential: s3.credential })
  const { token } = await api.person({ account_sid, service_provider_sid, is_view_only: true })
  await open(edit(account_sid), token)
  await expect(page.getByLabel('Endpoint URI')).toHaveValue(s3.credential.endpoint)
  await expect(page.getByLabel('Endpoint URI')).toHaveAttribute('readonly')
  await expect(page.getByRole('button', { name: 'Replace Secret access key' })).toHaveCount(0)
  await expect(tryIt(page)).toHaveAttribute('aria-disabled', 'true')
})

test('tests the storage of a new account before it is saved, and saves it after the creation', async ({
  page,
  api,
  tenant,
  open,
  s3,
}) => {
  await open('/internal/accounts/add')
  await page.getByLabel('Account name').fill('Recorded')
  await toggle(page).check()
  await fillS3(page, s3)
  await tryIt(page).click()
  await expectToast(page, 'Bucket Credential is valid.')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/accounts$/)
  const { body } = await api.send('GET', `/ServiceProviders/${tenant.service_provider_sid}/Accounts`)
  const created = body.find(({ name }: { name: string }) => name === 'Recorded')
  expect(created.bucket_credential).toMatchObject({ vendor: 's3_compatible', name: s3.credential.name })
})
