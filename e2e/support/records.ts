import { expect, type Page } from '@playwright/test'
import { expectToast } from './toasts.ts'

/** Locators and checks that the browser tests of all resources with a list and record pages share. */

/** Returns the rows of a list. */
export const listRows = (page: Page, table: string) =>
  page.getByRole('table', { name: table }).locator('tbody tr[data-row]')

/** Returns the row of a list that links to the record with this name. */
export const listRow = (page: Page, table: string, name: string) =>
  listRows(page, table).filter({ has: page.getByRole('link', { name, exact: true }) })

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** Returns the account field of a form, or the account filter of a list. */
export const account = (page: Page) => page.getByRole('combobox', { name: 'Account', exact: true })

export const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

/** The bar of a form with changes, which names them. */
export const unsavedChanges = (page: Page) => page.getByRole('region', { name: 'Unsaved changes' })

/** Lets the next request to a URL fail. */
export const failOnce = (page: Page, url: string | RegExp, msg: string, status = 500) =>
  page.route(url, (route) => route.fulfill({ status, json: { msg } }), { times: 1 })

/** Expects an error in the place of a list or record, and requests it again. */
export const retryAfter = async (page: Page, msg: string): Promise<void> => {
  await expect(page.getByText(msg)).toBeVisible()
  await page.getByRole('button', { name: 'Retry' }).click()
}

/** Simulates the platform's own API server, without Patchbay's extensions, or a server without those of the names. */
export const withoutExtensions = (page: Page, ...names: readonly string[]) =>
  page.route('**/config.json', async (route) => {
    const response = await route.fetch()
    const config: { extensions: string[] } = await response.json()
    const extensions = names.length === 0 ? [] : config.extensions.filter((name) => !names.includes(name))
    await route.fulfill({ json: { ...config, extensions } })
  })

/** Expects that the open record page redirects to the list, because the user has no access to the record. */
export const expectNoAccess = async (page: Page, list: string): Promise<void> => {
  await expectToast(page, 'You do not have access to this resource')
  await expect(page).toHaveURL(list)
}

/**
 * Opens the deletion dialog from the row of a record, and cancels it, after which the button has the focus again.
 * Returns both.
 */
export const cancelDeletion = async (page: Page, name: string, title: string) => {
  const button = page.getByRole('button', { name: `Delete ${name}` })
  const dialog = page.getByRole('dialog', { name: title })
  await button.click()
  await expect(dialog).toContainText(name)
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
  return { button, dialog }
}

/** Deletes the record whose page is open, and expects the toast. */
export const deleteOpenRecord = async (page: Page, label: string, toast: string): Promise<void> => {
  await page.getByRole('button', { name: label }).click()
  await page.getByRole('dialog').getByRole('button', { name: label }).click()
  await expectToast(page, toast)
}
