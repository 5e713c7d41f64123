import { once } from 'node:events'
import { createServer } from 'node:http'
import { getPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { hold } from './support/hold-requests.ts'
import { type Api, test as base, expect, type Tenant } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

/** Environment variables of an application, declared by a webhook of the tests. */

interface Webhook {
  origin: string
  /** Requested paths, in order. */
  requestedPaths: string[]
  /** Responses by path. A number is a status code; null means no response. */
  says: Record<string, unknown>
}

const test = base.extend<{ webhook: Webhook }>({
  settings: [{ PRIVATE_NETWORKS: loopbackNetwork }, { scope: 'worker' }],
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
  webhook: async ({}, use) => {
    const webhook: Webhook = { origin: '', requestedPaths: [], says: {} }
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://hook')
      webhook.requestedPaths.push(pathname)
      const declaration = webhook.says[pathname]
      if (declaration === null) return
      if (typeof declaration === 'number' || declaration === undefined) response.writeHead(declaration ?? 404).end()
      else response.end(JSON.stringify(declaration))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    webhook.origin = `http://127.0.0.1:${getPort(server)}`
    await use(webhook)
    server.closeAllConnections()
    server.close()
  },
})

const list = '/internal/applications'
const editPath = (sid: string) => `${list}/${sid}/edit`
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
const url = (page: Page, title: string) => page.getByLabel(`${title} URL`)
const calling = 'Calling webhook'
const status = 'Call status webhook'
const variablesGroup = (page: Page, title: string) =>
  page.getByRole('group', { name: `Environment variables of the ${title.toLowerCase()}` })
const others = (page: Page) => page.getByRole('group', { name: 'Other environment variables' })

const makeApplication = async (api: Api, { account_sid }: Tenant, { origin }: Webhook, more: object = {}) => {
  const body = {
    name: 'Reception',
    account_sid,
    call_hook: { url: `${origin}/call` },
    call_status_hook: { url: `${origin}/status` },
    ...more,
  }
  return (await api.send('POST', '/Applications', body)).body.sid as string
}

const fetchStored = async (api: Api, sid: string) => (await api.send('GET', `/Applications/${sid}`)).body.env_vars

const text = { type: 'string', description: 'Some text' }

test('APPS-22 APPS-23 APPS-26 APPS-28 shows each variable with its control, requires mandatory ones, and shows stored values again', async ({
  page,
  api,
  tenant,
  open,
  webhook,
}) => {
  webhook.says['/call'] = {
    GREETING: { ...text, description: 'What is said first', required: true },
    RETRIES: { type: 'number', description: 'How often', default: 3 },
    VOICE: { ...text, enum: ['alto', 'bass'] },
    LOUD: { type: 'boolean', description: 'Shouted' },
  }
  const sid = await makeApplication(api, tenant, webhook)
  await open(editPath(sid))
  const variables = variablesGroup(page, calling)
  await expect(variables.getByLabel('GREETING')).toHaveAttribute('type', 'text')
  await expect(variables.getByText('What is said first')).toBeVisible()
  await expect(variables.getByLabel('RETRIES')).toHaveAttribute('type', 'number')
  await expect(variables.getByLabel('RETRIES')).toHaveValue('3')
  await expect(variables.getByLabel('VOICE').getByRole('option')).toHaveText(['Not set', 'alto', 'bass'])
  await expectNoFindings(page, 'environment variables')
  await variables.getByLabel('LOUD').check()
  await save(page).click()
  await expect(variables.getByText('Enter a value')).toBeVisible()
  await expect(variables.getByLabel('GREETING')).toBeFocused()
  expect(await fetchStored(api, sid)).toBeNull()
  await variables.getByLabel('GREETING').fill('Good morning')
  await variables.getByLabel('RETRIES').fill('2.5')
  await variables.getByLabel('VOICE').selectOption('bass')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toEqual({ GREETING: 'Good morning', RETRIES: 2.5, VOICE: 'bass', LOUD: true })
  await page.goto(editPath(sid))
  await expect(variables.getByLabel('GREETING')).toHaveValue('Good morning')
  await expect(variables.getByLabel('VOICE')).toHaveValue('bass')
  await expect(variables.getByLabel('LOUD')).toBeChecked()

  // Server-side validation errors appear at the variable.
  webhook.says['/call'] = { GREETING: { ...text, enum: ['Hello'] } }
  await variables.getByLabel('GREETING').fill('Good evening')
  await save(page).click()
  await expectToast(page, 'Invalid value/type for env_vars.GREETING')
  await expect(variables.getByText('Invalid value/type for env_vars.GREETING')).toBeVisible()
})

test('APPS-24 APPS-25 APPS-27 APPS-46 hides secrets, accepts long texts and files, and ignores an unchanged prefix', async ({
  page,
  api,
  tenant,
  open,
  webhook,
}) => {
  webhook.says['/call'] = {
    SECRET: { ...text, obscure: true, prefix: 'sk-' },
    KEY_FILE: { ...text, uiHint: 'filepicker' },
    PROMPT: { ...text, uiHint: 'textarea' },
    PLAIN: { ...text, uiHint: 'input', prefix: 'app' },
  }
  const sid = await makeApplication(api, tenant, webhook)
  await open(editPath(sid))
  const variables = variablesGroup(page, calling)
  await expect(variables.getByLabel('SECRET')).toHaveAttribute('type', 'password')
  await variables.getByLabel('SECRET').fill('of ours')
  await variables.getByRole('button', { name: 'Show password' }).click()
  await expect(variables.getByLabel('SECRET')).toHaveAttribute('type', 'text')
  const file = { name: 'key.json', mimeType: 'application/json', buffer: Buffer.from('{\n  "key": 1\n}') }
  const chooser = page.waitForEvent('filechooser')
  await variables.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles({ ...file, buffer: Buffer.alloc(70_000) })
  await expect(variables.getByText('The file is larger than 65535 bytes')).toBeVisible()
  await variables.getByLabel('File of KEY_FILE').setInputFiles(file)
  await expect(variables.getByRole('textbox', { name: 'KEY_FILE' })).toHaveValue('{\n  "key": 1\n}')
  expect(await variables.getByLabel('PROMPT').evaluate((control) => control.tagName)).toBe('TEXTAREA')
  await variables.getByLabel('PROMPT').fill('Be kind.\nBe brief.')
  await variables.getByLabel('PLAIN').fill('x')
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toEqual({
    SECRET: 'of ours',
    KEY_FILE: '{\n  "key": 1\n}',
    PROMPT: 'Be kind.\nBe brief.',
    PLAIN: 'x',
  })
})

test('APPS-21 requests the variables of each webhook once, 500 ms after the last keystroke', async ({
  page,
  tenant,
  open,
  webhook,
}) => {
  webhook.says['/c'] = { OF_CALLS: text, OF_BOTH: text }
  webhook.says['/s'] = { OF_STATUS: text, OF_BOTH: text }
  await page.clock.install()
  await open(`${list}/add`)
  await expect(page.getByLabel('Application name')).toBeVisible()
  await expect(page.getByText(tenant.accountName).first()).toBeAttached()
  await page.clock.pauseAt(Date.now() + 60_000)
  const looked: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/AppEnv')) looked.push(searchParams.get('url'))
  })
  await url(page, calling).fill(webhook.origin)
  for (const key of '/c') {
    await page.clock.runFor(400)
    await url(page, calling).press('End')
    await url(page, calling).press(key)
  }
  await page.clock.runFor(400)
  expect(looked).toEqual([])
  await page.clock.runFor(200)
  await page.clock.resume()
  await expect(variablesGroup(page, calling).getByLabel('OF_CALLS')).toBeVisible()
  await url(page, status).fill(`${webhook.origin}/s`)
  await expect(variablesGroup(page, status).getByLabel('OF_STATUS')).toBeVisible()
  await expect(page.getByLabel('OF_BOTH')).toHaveCount(1)
  await expect(variablesGroup(page, calling).getByLabel('OF_BOTH')).toBeVisible()
  expect(looked).toEqual([`${webhook.origin}/c`, `${webhook.origin}/s`])
  expect(webhook.requestedPaths).toEqual(['/c', '/s'])
})

test('claims nothing about a webhook that returns no description, and keeps the layout still when the response arrives', async ({
  page,
  api,
  tenant,
  open,
  webhook,
}) => {
  webhook.says = { '/shared': { GREETING: text } }
  const answer = await hold(page, '**/AppEnv?*')
  await open(editPath(await makeApplication(api, tenant, webhook)))
  const asking = page.getByText(/^Requesting environment variables from the .* webhook…$/)
  await expect(asking).toHaveCount(2)
  // The heading directly below the webhooks. What is further down also moves when the speech fields load.
  const below = page.getByRole('heading', { name: 'Speech', level: 2 })
  await expect(below).toBeVisible()
  await page.evaluate(() => document.fonts.ready)
  const before = await below.boundingBox()
  answer()
  await expect(asking).toHaveCount(0)
  for (const name of ['calling', 'call status'])
    await expect(page.getByText(`The ${name} webhook returned no description of environment variables.`)).toBeVisible()
  expect(await below.boundingBox()).toEqual(before)

  for (const title of [calling, status]) await url(page, title).fill(`${webhook.origin}/shared`)
  await expect(variablesGroup(page, calling).getByLabel('GREETING')).toBeVisible()
  await expect(page.getByText('The call status webhook declares no further environment variables.')).toBeVisible()
})

test('keeps stored values while a webhook is slow, fails, or changes, until they are removed', async ({
  page,
  api,
  tenant,
  open,
  webhook,
}) => {
  const env_vars = { GREETING: 'hi', TOKEN: 'of ours' }
  const sid = await makeApplication(api, tenant, webhook, { env_vars })
  const rename = async (name: string) => {
    await page.getByLabel('Application name').fill(name)
    await save(page).click()
    await expectToast(page, 'Application updated successfully')
    expect((await api.send('GET', `/Applications/${sid}`)).body).toMatchObject({ name, env_vars })
  }
  // Slow webhook: the form is saved meanwhile.
  webhook.says['/call'] = null
  await open(editPath(sid))
  await expect(page.getByText('Requesting environment variables from the calling webhook…')).toBeVisible()
  await rename('While it is slow')

  // Invalid declaration, followed by none at all.
  webhook.says['/call'] = { GREETING: 'no description' }
  await page.goto(editPath(sid))
  await expect(page.getByText('could not be loaded: Invalid appenv schema')).toBeVisible()
  await rename('While it is wrong')
  webhook.says['/call'] = 500
  await page.goto(editPath(sid))
  await expect(others(page).getByRole('listitem')).toHaveText([/^GREETING/, /^TOKEN/])
  await rename('While it is broken')

  // Another webhook that declares one of the variables.
  webhook.says['/other'] = { GREETING: text }
  await page.goto(editPath(sid))
  await url(page, calling).fill(`${webhook.origin}/other`)
  await expect(variablesGroup(page, calling).getByLabel('GREETING')).toHaveValue('hi')
  await expect(others(page).getByRole('listitem')).toHaveText([/^TOKEN/])
  await rename('With another')
  await page.goto(editPath(sid))
  await others(page).getByRole('button', { name: 'Remove TOKEN' }).click()
  await expect(others(page)).toHaveCount(0)
  await save(page).click()
  await expectToast(page, 'Application updated successfully')
  expect(await fetchStored(api, sid)).toEqual({ GREETING: 'hi' })
})
