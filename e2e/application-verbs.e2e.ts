import type { Page } from '@playwright/test'
import { expectNoFindings, themes } from './support/axe.ts'
import { type Api, expect, type Tenant, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** The editor for the initial verbs of an application. */

const editPath = (sid: string) => `/internal/applications/${sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const overrides = (page: Page) => page.getByLabel('Override webhook for initial application')
const editor = (page: Page) => page.locator('.cm-content')
const problemMessage = (page: Page) => page.locator('output').filter({ hasText: /^Line / })

const makeApplication = async (api: Api, { account_sid }: Tenant, more: object = {}): Promise<string> => {
  const hook = { url: 'https://a.example' }
  const body = { name: 'Reception', account_sid, call_hook: hook, call_status_hook: hook, ...more }
  return (await api.send('POST', '/Applications', body)).body.sid
}

const fetchStored = async (api: Api, sid: string) => (await api.send('GET', `/Applications/${sid}`)).body.app_json

test('loads on demand, locates errors, completes verbs and properties, and formats the text', async ({
  page,
  api,
  tenant,
  open,
}) => {
  const sid = await makeApplication(api, tenant)
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('verb-editor')) scripts.push(request.url())
  })
  await open(editPath(sid))
  await expect(page.getByLabel('Application name')).toHaveValue('Reception')
  expect(scripts).toEqual([])
  await overrides(page).check()
  await expect(editor(page)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Verbs' })).toHaveAttribute(
    'aria-placeholder',
    /an array of jambonz verbs/,
  )
  expect(scripts).toHaveLength(1)

  await editor(page).fill('[\n  {"verb": "play"},\n  {"verb": "say", "colour": 1}\n]')
  await expect(problemMessage(page)).toHaveText('Line 2: play: missing value for url (and 1 more)')
  // An unknown property is a warning, because a newer platform may know it.
  await expect(page.locator('.cm-lintRange-error')).toHaveCount(1)
  await expect(page.locator('.cm-lintRange-warning')).toHaveCount(1)
  await editor(page).fill('[{"verb": ')
  await expect(problemMessage(page)).toHaveText('Line 1: Not JSON: unexpected end')
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await expectNoFindings(page, 'the editor of verbs')
  }

  // Typing offers completions. No keystroke triggers a shortcut of the page.
  await editor(page).fill('')
  await editor(page).pressSequentially('[{"ver')
  await page.getByRole('option', { name: 'verb', exact: true }).click()
  await editor(page).pressSequentially(':"hang')
  await page.getByRole('option', { name: 'hangup', exact: true }).click()
  await expect(editor(page)).toHaveText('[{"verb":"hangup"}]')
  await editor(page).pressSequentially(',"hea')
  await page.getByRole('option', { name: 'headers', exact: true }).click()
  await editor(page).pressSequentially(':{}')
  await expect(problemMessage(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Format' }).click()
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toBe(JSON.stringify([{ verb: 'hangup', headers: {} }], null, 2))

  // Server-side errors appear at the field, which receives the focus.
  await page.goto(editPath(sid))
  await editor(page).fill('[{"verb":"play"}]')
  await save(page).click()
  await expectToast(page, 'Error: play: missing value for url')
  await expect(page.getByText('Error: play: missing value for url').last()).toBeVisible()
  const verbs = page.getByRole('textbox', { name: 'Verbs' })
  await expect(verbs).toHaveAttribute('aria-invalid', 'true')
  await expect(verbs).toBeFocused()
})

test('shows view-only users the verbs', async ({ page, api, tenant, open }) => {
  const sid = await makeApplication(api, tenant, { app_json: '[{"verb":"answer"}]' })
  const { service_provider_sid, account_sid } = tenant
  const { token } = await api.person({ service_provider_sid, account_sid, is_view_only: true })
  await open(editPath(sid), token)
  await expect(editor(page)).toHaveText('[{"verb":"answer"}]')
  await expect(editor(page)).toHaveAttribute('contenteditable', 'false')
  await expect(page.getByRole('button', { name: 'Format' })).toHaveCount(0)
})
