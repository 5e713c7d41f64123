import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import { expectNoFindings, inEachLayout, layoutsOfTier } from './support/axe.ts'
import { closeDialog, copyRequest, copyRequestDialog, readCode, recordWrites } from './support/copied-requests.ts'
import { seededTest } from './support/every-screen.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import { answerWrites } from './support/form-steps.ts'
import { readCurlRequests, runCurl } from './support/run-code.ts'
import { type Api, expect, test } from './support/test.ts'

/** Forms in dialogs and parts of pages show the requests that they then send, like the forms of pages. */

const secret = `S3cret-"of"-the-form's`
const name = `O'Brien "$HOME" \`id\` ж ${randomUUID().slice(0, 8)}`

type House = Readonly<Record<string, string>>

interface FormCase {
  /** The path of the screen. */
  path: (house: House) => string
  /** Creates what the form changes, and returns a function that removes it. */
  create?: (api: Api, house: House) => Promise<() => Promise<unknown>>
  /** Opens the form. */
  open: (page: Page) => Promise<unknown>
  form: (page: Page) => Locator
  fill: (form: Locator) => Promise<unknown>
  submitLabel: string | RegExp
}

const press = (label: string | RegExp) => (page: Page) => page.getByRole('button', { name: label }).first().click()
const dialog = (title: string) => (page: Page) => page.getByRole('dialog', { name: title, exact: true })
const settings = () => '/internal/settings'
const account = ({ account_sid }: House) => `/internal/accounts/${account_sid}/edit`

const keyName = 'Dialer of copied requests'

const createKey: FormCase['create'] = async (api, { account_sid }) => {
  const { body } = await api.send('POST', '/ApiKeys', { account_sid, name: keyName })
  return () => api.send('DELETE', `/ApiKeys/${body.sid}`)
}

const createAddress: FormCase['create'] = async (api) => {
  const { body } = await api.send('POST', '/Sbcs', { ipv4: '203.0.113.77', port: 5060 })
  return () => api.send('DELETE', `/Sbcs/${body.sid}`)
}

const fillKey = async (form: Locator): Promise<void> => {
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('Expires').selectOption('On a date')
  await form.getByLabel('Last day').fill('2037-05-01')
}

const forms: Readonly<Record<string, FormCase>> = {
  'a new API key': {
    path: account,
    open: press('Add key'),
    form: dialog('Add API key'),
    fill: fillKey,
    submitLabel: 'Add key',
  },
  'an API key that replaces another': {
    path: account,
    create: createKey,
    open: press(`Rotate ${keyName}`),
    form: dialog('Rotate API key'),
    fill: fillKey,
    submitLabel: 'Create new key',
  },
  'the name of an API key': {
    path: account,
    create: createKey,
    open: press(`Rename ${keyName}`),
    form: dialog('Rename API key'),
    fill: (form) => form.getByRole('textbox', { name: 'Name' }).fill(name),
    submitLabel: 'Rename key',
  },
  'a new service provider': {
    path: () => '/internal/accounts',
    open: press('Add service provider'),
    form: dialog('Add new service provider'),
    fill: (form) => form.getByLabel('Service provider name').fill(name),
    submitLabel: 'Save',
  },
  'the limits of conversations': {
    path: () => '/internal/conversation-quality',
    open: press('Limits'),
    form: dialog('Limits'),
    fill: (form) => form.getByLabel('Response gap, 95th percentile').fill('1500'),
    submitLabel: 'Save limits',
  },
  'a new SIP address': {
    path: settings,
    open: press('Add address'),
    form: dialog('Add SIP address'),
    fill: (form) => form.getByLabel('IP address or host name').fill('203.0.113.30'),
    submitLabel: 'Save',
  },
  'another SIP address': {
    path: settings,
    create: createAddress,
    open: press(/^Edit .*203\.0\.113\.77/),
    form: dialog('Edit SIP address'),
    fill: (form) => form.getByLabel('TLS port').fill('5061'),
    submitLabel: 'Save',
  },
  'new keys of a speech service': {
    path: ({ speech_credential_sid }) => `/internal/speech-services/${speech_credential_sid}/edit`,
    open: press('Replace key'),
    form: dialog('Replace key'),
    fill: (form) => form.getByLabel('New API key').fill(secret),
    submitLabel: 'Replace key',
  },
  'a link to a call': {
    path: ({ account_sid, call_sid }) => `/internal/recent-calls/${account_sid}/${call_sid}?tab=conversation`,
    open: press('Share'),
    form: dialog('Share call'),
    fill: (form) => form.getByLabel('Note').fill(name),
    submitLabel: 'Create and copy link',
  },
  'a review of a call': {
    path: ({ account_sid, call_sid }) => `/internal/recent-calls/${account_sid}/${call_sid}?tab=conversation:review`,
    open: (page) => expect(page.getByRole('form', { name: 'Your review' })).toBeVisible(),
    form: (page) => page.getByRole('form', { name: 'Your review' }),
    fill: async (form) => {
      await form.getByRole('group', { name: 'Score of the call' }).getByRole('radio', { name: '2' }).check()
      await form.getByLabel('Note').fill(name)
    },
    submitLabel: 'Save review',
  },
  'a carrier from a template': {
    path: () => '/internal/carriers/add',
    open: (page) => page.getByLabel('Select a predefined carrier').selectOption('Twilio'),
    form: (page) => page.getByRole('region', { name: 'Predefined carrier' }),
    fill: () => Promise.resolve(),
    submitLabel: 'Create Twilio',
  },
}

for (const [what, { path, create, open: openForm, form: findForm, fill, submitLabel }] of Object.entries(forms))
  seededTest(`shows the requests of ${what}`, async ({ page, api, open, house }) => {
    const remove = await create?.(api, house)
    const writes = await answerWrites(page)
    await open(path(house))
    await page.waitForLoadState('networkidle')
    await openForm(page)
    const form = findForm(page)
    await fill(form)
    const code = await readCode(page, 'curl', form)
    expect(code).not.toContain('S3cret')
    const requests = await readCurlRequests(code, () => secret)
    expect(requests).not.toEqual([])
    await closeDialog(page)
    await expect(copyRequest(form)).toBeFocused()
    expect(writes, 'before the form is submitted').toEqual([])
    await form.getByRole('button', { name: submitLabel, exact: true }).click()
    await expect.poll(() => writes).toEqual(requests)
    await remove?.()
  })

test('the code of a changed password contains neither password, and changes it', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const person = await api.person({ account_sid })
  await open(`/internal/users/${person.user_sid}/edit`, person.token)
  await page.getByRole('button', { name: 'Change password' }).click()
  const form = page.getByRole('dialog', { name: 'Change password' })
  await form.getByLabel('Old password').fill(person.password)
  await form.getByLabel('New password', { exact: true }).fill('Another-1')
  await copyRequest(form).click()
  await expect(form.getByLabel('Confirm new password')).toHaveAccessibleDescription('Passwords do not match')
  await expect(copyRequestDialog(page)).toHaveCount(0)
  await form.getByLabel('Confirm new password').fill('Another-1')
  const code = await readCode(page, 'curl', form)
  await expect(copyRequestDialog(page)).toContainText('PATCHBAY_TOKEN, OLD_PASSWORD, NEW_PASSWORD')
  expect(code).not.toContain(person.password)
  expect(code).not.toContain('Another-1')
  const env = { PATCHBAY_TOKEN: person.token, OLD_PASSWORD: person.password, NEW_PASSWORD: 'Another-1' }
  await runCurl(code, env)
  expect(await api.signIn(person.name, 'Another-1')).toMatch(/^ey/)
})

test('the code of a new API key creates it, and the dialog can still do so', async ({ page, api, tenant, open }) => {
  const { account_sid } = tenant
  const keys = async () => (await api.send('GET', `/Accounts/${account_sid}/ApiKeys`)).body
  const writes = recordWrites(page)
  await open(account(tenant as unknown as House))
  await page.getByRole('button', { name: 'Add key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add API key' })
  await form.getByLabel('Name').fill(name)
  const code = await readCode(page, 'curl', form)
  expect(writes).toEqual([])
  expect(await runCurl(code, { PATCHBAY_TOKEN: api.token })).toContain('"token"')
  expect(await keys()).toMatchObject([{ name }])
  await closeDialog(page)
  await form.getByRole('button', { name: 'Add key' }).click()
  await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible()
  expect(await keys()).toHaveLength(2)
})

test('a dialog works by keyboard alone, in both themes and at all widths', async ({ page, tenant, open }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(account(tenant as unknown as House))
  await page.getByRole('button', { name: 'Add key' }).first().click()
  const form = page.getByRole('dialog', { name: 'Add API key' })
  await form.getByLabel('Expires').focus()
  await page.keyboard.press('Tab')
  await expect(copyRequest(form)).toBeFocused()
  await inEachLayout(
    page,
    async ({ colorScheme, width, rules }) => {
      const what = `copy-request-of-a-dialog-${colorScheme}-${width}`
      await expectNoFindings(page, what, { rules })
      await expectToFit(page, what)
      const folder = process.env['PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/${what}.png` })
    },
    layoutsOfTier,
  )
  await page.keyboard.press('Enter')
  await expect(copyRequestDialog(page).getByLabel('Requests as curl')).toContainText('/ApiKeys')
  await closeDialog(page)
  await expect(copyRequest(form)).toBeFocused()
  // The first Escape closes the label of the button.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
})
