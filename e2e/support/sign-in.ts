import { expect, type Page } from '@playwright/test'
import type { Api, Person, Tenant } from './test.ts'

/** Signs in with the sign-in form. */
export const typeSignIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Creates a user of the tenant's account who must change the password, and signs in. */
export const beginForcedChange = async (page: Page, api: Api, tenant: Tenant): Promise<Person> => {
  const { account_sid, service_provider_sid } = tenant
  const person = await api.person({ account_sid, service_provider_sid, force_change: true })
  await page.goto(api.url)
  await typeSignIn(page, person.name, person.password)
  await expect(page.getByRole('heading', { name: 'Create password' })).toBeVisible()
  return person
}
