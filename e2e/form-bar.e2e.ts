import { save, unsavedChanges } from './support/records.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** The bar that saves a form. */

const createCarrier = async (api: Api, { service_provider_sid }: Tenant) => {
  const carrier = { name: 'Cobalt', service_provider_sid }
  const gateway = { netmask: 32, inbound: true, outbound: false }
  const { body } = await api.send('POST', '/patchbay/carriers', {
    carrier,
    sip_gateways: [
      { ...gateway, ipv4: '198.51.100.5', port: 5060 },
      { ...gateway, ipv4: '198.51.100.6', port: 5060 },
    ],
    smpp_gateways: [],
  })
  return `/internal/carriers/${String(body.voip_carrier_sid)}/edit`
}

test('names what has changed, and follows the page only while there are changes', async ({
  page,
  open,
  api,
  tenant,
}) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await open(await createCarrier(api, tenant))
  await page.getByLabel('Carrier name').focus()
  await expect(unsavedChanges(page)).toHaveCount(0)
  await expect(save(page), 'the end of the form').not.toBeInViewport()

  await page.getByLabel('Description').fill('Trunk')
  await expect(unsavedChanges(page)).toContainText('1 change: Description')
  await expect(save(page)).toBeInViewport({ ratio: 1 })
  await page.getByRole('switch', { name: 'Active' }).click()
  await expect(unsavedChanges(page)).toContainText('2 changes: Description, Active')
  await page.getByRole('group', { name: 'SIP gateway 2' }).getByLabel('Port').fill('5061')
  await expect(unsavedChanges(page)).toContainText('3 changes: Description, Active, gateway 198.51.100.6')
  await page.getByLabel('Tech prefix').fill('8')
  await page.getByLabel('Tech prefix').blur()
  await expect(unsavedChanges(page)).toContainText(
    '4 changes: Description, Active, gateway 198.51.100.6, and 1 more. 1 error: Tech prefix (Voice, Signaling)',
  )
})

test('covers no focused field', async ({ page, open, api, tenant }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await open(await createCarrier(api, tenant))
  await page.getByLabel('Carrier name').fill('Nickel')
  await expect(unsavedChanges(page)).toBeVisible()
  const bar = await unsavedChanges(page).elementHandle()
  const covered: string[] = []
  let fieldCount = 0
  for (const key of ['Tab', 'Shift+Tab'])
    for (let at = 0; at < 100; at += 1) {
      await page.keyboard.press(key)
      const position = await page.evaluate((element) => {
        const focused = document.activeElement
        const form = focused?.closest('form')
        if (!focused || !form || element?.contains(focused)) return undefined
        const { bottom } = focused.getBoundingClientRect()
        return {
          name: focused.getAttribute('name') ?? '',
          isCovered: bottom > (element?.getBoundingClientRect().top ?? 0),
        }
      }, bar)
      if (position === undefined) break
      fieldCount += 1
      if (position.isCovered) covered.push(position.name)
    }
  expect(covered).toEqual([])
  expect(fieldCount, 'fields that were focused').toBeGreaterThan(40)
})

test('saves a change although a stored field of another section is invalid, until that one is changed', async ({
  page,
  open,
  api,
  tenant,
}) => {
  const path = await createCarrier(api, tenant)
  const [, sid = ''] = /carriers\/([^/]+)/.exec(path) ?? []
  expect((await api.send('PUT', `/VoipCarriers/${sid}`, { tech_prefix: '8' })).status).toBe(204)
  await open(path)
  await page.getByLabel('Description').fill('Trunk')
  await save(page).click()
  await expect(page).toHaveURL(/\/internal\/carriers(\?|$)/)
  expect((await api.send('GET', `/VoipCarriers/${sid}`)).body).toMatchObject({ description: 'Trunk', tech_prefix: '8' })

  await open(path)
  await page.getByLabel('Tech prefix').fill('88')
  await save(page).click()
  await expect(unsavedChanges(page)).toContainText('1 change: Tech prefix. 1 error: Tech prefix (Voice, Signaling)')
  await expect(page.getByLabel('Tech prefix')).toBeFocused()
})

test('names the tab, the section, and the field that the server refuses', async ({ page, open, api, tenant }) => {
  await open(await createCarrier(api, tenant))
  const refuse = (field: string, msg: string) =>
    page.route('**/api/v1/**', (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 400, json: { msg, field } }) : route.fallback(),
    )
  await refuse('tech_prefix', 'must be digits')
  await page.getByLabel('Description').fill('Trunk')
  await save(page).click()
  await expect(unsavedChanges(page)).toContainText('1 change: Description. 1 error: Tech prefix (Voice, Signaling)')
  await expect(page.getByLabel('Tech prefix')).toHaveAccessibleDescription(/must be digits/)

  // A form that maps no fields of its own names those that the server states.
  await page.unrouteAll()
  await open(`/internal/accounts/${tenant.account_sid}/edit`)
  await refuse('registration_hook.url', 'must be a URL')
  await page.getByLabel('Account name').fill('Renamed')
  await save(page).click()
  await expect(unsavedChanges(page)).toContainText(/1 change: Account name\. 1 error: .+\(.+\)/)
})

test('states a refusal at its field only, besides the toast, or above Save if the field is not on the page', async ({
  page,
  open,
  api,
  tenant,
}) => {
  await open(await createCarrier(api, tenant))
  let field = 'tech_prefix'
  await page.route('**/api/v1/**', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 400, json: { msg: 'must be digits', field } })
      : route.fallback(),
  )
  const alerts = page.getByRole('form').getByRole('alert')
  await page.getByLabel('Description').fill('Trunk')
  await save(page).click()
  await expect(page.getByLabel('Tech prefix')).toBeFocused()
  await expect(alerts).toHaveText(['must be digits'])
  await expect(unsavedChanges(page).getByRole('alert')).toHaveCount(0)
  await expectToast(page, 'must be digits')

  field = 'account_sid_of_another_page'
  await save(page).click()
  await expect(unsavedChanges(page).getByRole('alert')).toContainText('must be digits')
  await expect(alerts).toHaveCount(1)
})
