import { readdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { expect, test } from './support/test.ts'
import { expectToast } from './support/toasts.ts'

test('serves the page with a strict content security policy, and hashed files that are compressed and cached permanently', async ({
  page,
  server,
}) => {
  const loaded: { url: string; headers: Record<string, string> }[] = []
  page.on('response', (response) => void loaded.push({ url: response.url(), headers: response.headers() }))
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  const main = await page.goto(server.url)
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  const headers = main?.headers() ?? {}
  expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[\w+/=]+';/)
  expect(headers['content-security-policy']).not.toContain('unsafe')
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['cache-control']).toBe('no-cache')
  const assets = loaded.filter(({ url }) => url.includes('/assets/'))
  expect(assets.length).toBeGreaterThan(1)
  for (const { url, headers: served } of assets) {
    expect(url).toMatch(/-[\w-]{7}\.\w+$/)
    expect(served['cache-control']).toBe('public, max-age=31536000, immutable')
    if (/\.(?:js|css)$/.test(url)) expect(served['content-encoding'] ?? 'small').toMatch(/br|small/)
  }
  expect(complaints).toEqual([])
})

const dist = join(import.meta.dirname, '../console/dist')
const builtFiles = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(dist.length))

/** Requests the path unchanged, because fetch() would normalize it. */
const fetchHeaders = (url: string, path: string) =>
  new Promise<Record<string, unknown>>((resolve, reject) => {
    const { port } = new URL(url)
    const request = get({ host: '127.0.0.1', port, path, headers: { accept: 'text/html' } }, (answer) => {
      answer.resume()
      resolve(answer.headers)
    })
    request.on('error', reject)
  })

test('forbids framing of all files and pages, however their path is written', async ({ server }) => {
  expect(builtFiles).toEqual(expect.arrayContaining(['/index.html', '/internal.html', '/patchbay.svg']))
  const open: string[] = []
  for (const file of [...builtFiles, '/', '/internal/accounts', '/api/docs', '/api/docs/json', '/config.json'])
    for (const path of [file, `/${file}`, `${file}/`, file.toUpperCase(), file.replace('.', '%2e'), `/.${file}`]) {
      const headers = await fetchHeaders(server.url, path)
      const policy = String(headers['content-security-policy'])
      const closed = policy.includes("frame-ancestors 'none'") && policy.startsWith("default-src 'none'")
      if (!closed || headers['x-frame-options'] !== 'DENY' || headers['x-content-type-options'] !== 'nosniff')
        open.push(`${path}: ${policy}`)
    }
  expect(open).toEqual([])
})

test('opens every screen without violating the content security policy', async ({ page, open, tenant }) => {
  await open('/internal/accounts')
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  for (const path of [
    '/internal/accounts',
    '/internal/accounts/add',
    `/internal/accounts/${tenant.account_sid}/edit`,
    '/internal/recent-calls',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  }
  expect(complaints).toEqual([])
})

test("works without Patchbay's extensions, and finds a duplicate name in the list", async ({ page, open, tenant }) => {
  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  const requestedUrls: string[] = []
  page.on('request', (request) => {
    requestedUrls.push(request.url())
  })
  await open('/internal/accounts/add')
  await page.getByLabel('Account name').fill(tenant.accountName)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(
    page.getByText('The name you have entered is already in use on another one of your accounts.'),
  ).toBeVisible()
  await page.getByLabel('Account name').fill('Of the wire alone')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'Account created successfully')
  expect(requestedUrls.filter((url) => url.includes('/patchbay/'))).toEqual([])
})
