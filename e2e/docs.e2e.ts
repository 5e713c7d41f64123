import config from './playwright.config.ts'
import { expect, test } from './support/test.ts'

/** The API documentation page over plain HTTP, with a host name that the browser does not treat as local. */

const { executablePath, args = [] } = config.use?.launchOptions ?? {}
test.use({
  launchOptions: {
    ...(executablePath ? { executablePath } : {}),
    args: [...args, '--host-resolver-rules=MAP pbx.example.org 127.0.0.1'],
  },
})

test('can be read and searched with any host name, and keeps its content security policy', async ({ page, server }) => {
  const complaints: string[] = []
  page.on('console', (message) => {
    // Logged by the browser for every page over plain HTTP with a non-local host name.
    if (!message.text().startsWith('The Cross-Origin-Opener-Policy header')) complaints.push(message.text())
  })
  page.on('requestfailed', (request) => void complaints.push(request.url()))
  await page.goto(`http://pbx.example.org:${new URL(server.url).port}/api/docs`)
  await expect(page.getByRole('heading', { name: 'Patchbay API' })).toBeVisible()
  const entries = page.locator('details:visible')
  const all = await entries.count()
  expect(all).toBeGreaterThan(20)

  await page.getByRole('heading', { name: 'Patchbay API' }).click()
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search' })).toBeFocused()
  await page.keyboard.type('limits remove')
  await expect(page.getByRole('heading', { level: 2 })).toHaveText(['Limits'])
  await expect(entries).toHaveCount(4)
  await expect(page.getByText(`4 of ${all}`)).toBeVisible()
  const entry = entries.first()
  await entry.locator('summary').press('Enter')
  await expect(entry.getByRole('heading', { name: 'Access' })).toBeVisible()
  await page.getByRole('searchbox', { name: 'Search' }).fill('')
  await expect(entries).toHaveCount(all)

  await page.getByRole('button', { name: 'Open all' }).click()
  await expect(page.locator('details[open]')).toHaveCount(all)
  await page.getByRole('navigation').getByRole('link', { name: 'Recent calls' }).click()
  await expect(page.getByRole('heading', { name: 'Recent calls' })).toBeInViewport()
  expect(complaints).toEqual([])
})

test('opens an endpoint from a link', async ({ page, server }) => {
  await page.goto(`${server.url}/api/docs#post-login`)
  const open = page.locator('details[open]')
  await expect(open).toContainText('/login')
  await expect(open.getByText('No authentication required.')).toBeVisible()
})
