import type { Page } from '@playwright/test'
import { expectToFit } from './support/expect-no-overflow.ts'
import { type Api, expect, test } from './support/test.ts'

/** The masking rules of a service provider: patterns, errors at their fields, and the test of a text. */

const path = '/internal/settings/masking'
const rulesPath = (sid: string) => `/patchbay/ServiceProviders/${sid}/MaskingRules`

/** Creates a provider with a user, because the tests of a worker share the other one. */
const createOwner = async (api: Api) => {
  const service_provider_sid = await api.provider()
  const { token } = await api.person({ service_provider_sid })
  return { service_provider_sid, token }
}

const pattern = (page: Page, number: number) => page.getByRole('group', { name: `Pattern ${number}` })
const fill = async (page: Page, number: number, name: string, replacement: string, expression: string) => {
  await pattern(page, number).getByLabel('Name').fill(name)
  await pattern(page, number).getByLabel('Replacement').fill(replacement)
  await pattern(page, number).getByLabel('Regular expression').fill(expression)
}
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const maskedText = (page: Page) => page.getByRole('status', { name: 'Masked text' })

test('patterns are added, tested before they are saved, and removed', async ({ page, api, open }) => {
  const { service_provider_sid, token } = await createOwner(api)
  await open('/internal/settings', token)
  await page.getByRole('link', { name: 'Edit masking' }).click()
  await expect(page.getByRole('heading', { name: 'Masking', level: 1 })).toBeVisible()
  await expect(page.getByLabel('Mask card numbers')).toBeChecked()
  await expect(page.getByLabel('Mask pressed digits')).not.toBeChecked()
  await expect(page.getByText('No patterns. Add one')).toBeVisible()

  await page.getByRole('button', { name: 'Add pattern' }).click()
  await fill(page, 1, 'Contracts', 'contract', '(?i)contract \\d{6}')
  await page.getByRole('button', { name: 'Add pattern' }).click()
  await fill(page, 2, 'Orders', 'order', '\\bAB-\\d+\\b')
  await expect(page.getByRole('button', { name: 'Test rules' })).toBeDisabled()
  await page.getByLabel('Text', { exact: true }).fill('Contract 123456, order AB-1, paid with 4111 1111 1111 1111')
  await page.getByRole('button', { name: 'Test rules' }).click()
  await expect(maskedText(page)).toHaveText('[contract], order [order], paid with [card number]')
  expect((await api.send('GET', rulesPath(service_provider_sid))).body.patterns).toEqual([])

  await page.getByLabel('Mask pressed digits').check()
  await page.getByLabel('Mute recordings where the transcript is masked').check()
  await save(page).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Masking updated')).toBeVisible()
  expect((await api.send('GET', rulesPath(service_provider_sid))).body).toEqual({
    card_numbers: 1,
    pressed_digits: 1,
    patterns: [
      { name: 'Contracts', expression: '(?i)contract \\d{6}', replacement: 'contract' },
      { name: 'Orders', expression: '\\bAB-\\d+\\b', replacement: 'order' },
    ],
    mute_recordings: 1,
    patterns_exceeded_at: null,
  })

  await page.getByRole('button', { name: 'Remove pattern 1' }).click()
  await expect(pattern(page, 1).getByLabel('Name')).toHaveValue('Orders')
  await save(page).click()
  await expect
    .poll(async () => (await api.send('GET', rulesPath(service_provider_sid))).body.patterns)
    .toEqual([expect.objectContaining({ name: 'Orders' })])
  await page.reload()
  await expect(pattern(page, 1).getByLabel('Regular expression')).toHaveValue('\\bAB-\\d+\\b')
})

test('an expression that the server rejects is reported at its field, by a save and by a test', async ({
  page,
  api,
  open,
}) => {
  const { service_provider_sid, token } = await createOwner(api)
  await open(path, token)
  for (const number of [1, 2, 3]) {
    await page.getByRole('button', { name: 'Add pattern' }).click()
    await fill(page, number, `Pattern ${number}`, 'order', 'AB-\\d+')
  }
  const expression = pattern(page, 3).getByLabel('Regular expression')
  await expression.fill('a(?=b)')
  await save(page).click()
  const message = /^Is not a regular expression in the syntax of RE2: invalid or unsupported Perl syntax/
  await expect(pattern(page, 3).getByText(message)).toBeVisible()
  await expect(expression).toBeFocused()
  await expect(expression).toHaveAttribute('aria-invalid', 'true')
  await expect(pattern(page, 2).getByLabel('Regular expression')).not.toHaveAttribute('aria-invalid', 'true')

  await expression.fill('x*')
  await page.getByLabel('Text', { exact: true }).fill('AB-1')
  await page.getByRole('button', { name: 'Test rules' }).click()
  await expect(pattern(page, 3).getByText('Must not match an empty text')).toBeVisible()
  await expect(maskedText(page)).toBeEmpty()

  await expression.fill('')
  await pattern(page, 3).getByLabel('Replacement').fill('a]')
  await save(page).click()
  await expect(pattern(page, 3).getByText('Enter a regular expression')).toBeVisible()
  await expect(pattern(page, 3).getByText('Do not use brackets')).toBeVisible()
  expect((await api.send('GET', rulesPath(service_provider_sid))).body.patterns).toEqual([])
})

test('says when patterns took too much time', async ({ page, api, open }) => {
  const { service_provider_sid, token } = await createOwner(api)
  const { body } = await api.send('GET', rulesPath(service_provider_sid))
  await page.route('**/MaskingRules', (route) =>
    route.fulfill({ json: { ...body, patterns_exceeded_at: new Date().toISOString() } }),
  )
  await open(path, token)
  await expect(page.getByText('Your patterns take too much time')).toBeVisible()
  await expect(page.getByText('Texts that were not searched in time were replaced by [text not checked]')).toBeVisible()
  await page.unrouteAll()
  await page.reload()
  await expect(page.getByLabel('Mask card numbers')).toBeChecked()
  await expect(page.getByText('Your patterns take too much time')).toBeHidden()
})

test('a failed load can be retried, a failed test is reported, and everything fits on a phone', async ({
  page,
  api,
  open,
}) => {
  const { token } = await createOwner(api)
  await page.route('**/MaskingRules', (route) => route.fulfill({ status: 500, json: { msg: 'Out of order' } }))
  await open(path, token)
  await expect(page.getByRole('main').getByText('Out of order')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByLabel('Mask card numbers')).toBeChecked()

  await page.route('**/MaskingRules/test', (route) => route.fulfill({ status: 503, json: { msg: 'Too busy' } }))
  await page.getByLabel('Text', { exact: true }).fill('a text')
  await page.getByRole('button', { name: 'Test rules' }).click()
  await expect(page.getByRole('main').getByText('Too busy')).toBeVisible()

  await page.getByRole('button', { name: 'Add pattern' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectToFit(page, 'Masking')
})

test('users of an account, and servers without the extension, have no such screen', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { service_provider_sid, account_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid })
  await open(path, token)
  await expect(page.getByText('You do not have access.')).toBeVisible()
  const owner = await createOwner(api)
  await page.route('**/config.json', async (route) => {
    const response = await route.fetch()
    const { extensions, ...others }: { extensions: string[] } = await response.json()
    await route.fulfill({ json: { ...others, extensions: extensions.filter((name) => name !== 'masking-rules') } })
  })
  await open('/internal/settings', owner.token)
  await expect(page.getByRole('heading', { name: 'Details' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Edit masking' })).toHaveCount(0)
})
