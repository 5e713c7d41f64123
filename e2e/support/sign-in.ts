import type { Page } from '@playwright/test'

/** Signs in as people do: types name and password into the sign-in screen, and presses the button. */
export const typeSignIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}
