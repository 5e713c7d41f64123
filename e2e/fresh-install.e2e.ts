import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createFreshClone } from '@patchbay/testkit/releases/fresh-clone'
import { expect, test } from '@playwright/test'
import { typeSignIn } from './support/sign-in.ts'

test('runs npm start in a fresh clone, signs in, creates a provider, an account, and a user, and upgrades with git pull', async ({
  page,
}) => {
  // The test includes a complete installation.
  test.setTimeout(1_800_000)
  const freshClone = createFreshClone()
  const { clone, node } = freshClone
  const server = await freshClone.npmStart()
  // Node is downloaded only if the machine's version is too old. Test dependencies are not installed.
  const fetched = /this is (\S+): fetching Node (\S+) into \.node, once…\n/.exec(server.output())
  expect(fetched?.[1]).toBe(Number.parseInt(node, 10) >= 24 ? undefined : node)
  expect(existsSync(join(clone, '.node'))).toBe(fetched !== null)
  expect(server.output()).toMatch(/Installing dependencies… done after \d+ s\nBuilding .*… done after \d+ s\n/)
  expect(existsSync(join(clone, 'node_modules/vite'))).toBe(true)
  expect(existsSync(join(clone, 'node_modules/vitest'))).toBe(false)

  await page.goto(server.url)
  await typeSignIn(page, 'admin', server.firstPassword)
  await expect(page.getByRole('heading', { name: 'Create password' })).toBeVisible()
  await page.getByLabel('New password', { exact: true }).fill('My-own-1')
  await page.getByLabel('Confirm new password').fill('My-own-1')
  await page.getByRole('button', { name: 'Create password' }).click()

  await page.getByRole('button', { name: 'Add service provider' }).click()
  await page.getByLabel('Service provider name').fill('Newcomer Telecom')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Added new service provider Newcomer Telecom')).toBeVisible()
  await expect(page.getByText('No Accounts.')).toBeVisible()

  await page.getByRole('link', { name: 'Add account' }).first().click()
  await page.getByLabel('Account name').fill('First customer')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Account created successfully')).toBeVisible()
  await page.getByRole('link', { name: 'First customer', exact: true }).click()
  await expect(page).toHaveURL(/\/edit$/)
  const account_sid = /accounts\/([^/]+)\/edit/.exec(page.url())?.[1] ?? ''

  const token = await page.evaluate(() => localStorage.getItem('token'))
  const api = (method: string, path: string, data?: object) =>
    page.request.fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(data ? { data } : {}),
    })
  const { service_provider_sid } = await (await api('GET', `/Accounts/${account_sid}`)).json()
  const user = {
    name: 'customer',
    email: 'customer@example.org',
    initial_password: 'Customer-1',
    account_sid,
    service_provider_sid,
  }
  expect((await api('POST', '/Users', user)).status()).toBe(201)
  const others = await (await api('GET', '/Accounts')).json()
  const foreign = others.find((account: { account_sid: string }) => account.account_sid !== account_sid)

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText("You've successfully logged out.")).toBeVisible()
  await typeSignIn(page, 'customer', 'Customer-1')
  await expect(page.getByLabel('Account name')).toHaveValue('First customer')
  await expect(page.getByRole('link', { name: 'Accounts' })).toHaveCount(0)

  await page.goto(`${server.url}/internal/accounts/${foreign.account_sid}/edit`)
  await expect(page.getByText('You do not have access to this resource')).toBeVisible()
  await expect(page.getByLabel('Account name')).toHaveValue('First customer')
  const ownToken = await page.evaluate(() => localStorage.getItem('token'))
  const refused = await page.request.get(`${server.url}/api/v1/Accounts/${foreign.account_sid}`, {
    headers: { authorization: `Bearer ${ownToken}` },
  })
  expect(refused.status()).toBe(403)

  await freshClone.stop(server)
  // The second start neither downloads, installs, nor builds anything. It finds the saved data and prints no password.
  const again = await freshClone.npmStart()
  expect(again.output()).not.toMatch(/fetching|Installing|Building|password/)
  const getSignInStatus = async ({ url }: { url: string }): Promise<number> => {
    const { status } = await fetch(`${url}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'customer', password: 'Customer-1' }),
    })
    return status
  }
  expect(await getSignInStatus(again)).toBe(200)
  await freshClone.stop(again)

  // An upgrade as the documentation describes it: `git pull`, then `npm start`.
  freshClone.pullNewVersion()
  const upgraded = await freshClone.npmStart()
  expect(upgraded.output()).toMatch(/^Building .*… done after \d+ s$/m)
  expect(await getSignInStatus(upgraded)).toBe(200)
  await freshClone.stop(upgraded)
  freshClone.remove()
})
