import { expect, type Locator, type Page } from '@playwright/test'

/** The dialog that shows the requests of a form. */

export const copyRequest = (form: Page | Locator) => form.getByRole('button', { name: 'Copy request', exact: true })
export const copyRequestDialog = (page: Page) => page.getByRole('dialog', { name: 'Copy request' })

export type CodeFormat = 'curl' | 'JavaScript'

/**
 * Opens the dialog, and returns the code that it shows. The dialog stays open.
 * @param form the form, if the page has more than one
 */
export const readCode = async (
  page: Page,
  format: CodeFormat = 'curl',
  form: Page | Locator = page,
): Promise<string> => {
  if (!(await copyRequestDialog(page).isVisible())) await copyRequest(form).click()
  await copyRequestDialog(page).getByRole('tab', { name: format, exact: true }).click()
  return copyRequestDialog(page).getByLabel(`Requests as ${format}`).innerText()
}

export const closeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape')
  await expect(copyRequestDialog(page)).toHaveCount(0)
}

/** Returns the writes that the page sends from now on, as method and path below `/api/v1`. */
export const recordWrites = (page: Page): string[] => {
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname.slice(7)}`)
  })
  return writes
}
