import type { Page } from '@playwright/test'

/** The selection of records in lists, and what changes the selected ones. */

export const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })
export const bar = (page: Page) => page.getByRole('group', { name: 'Selection' })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Confirms the values that were chosen in the dialog of several records, after its dry run. */
export const confirmEdit = async (page: Page, count: number, nouns: string): Promise<void> => {
  await button(page, 'Continue').click()
  await button(page, `Change ${count} ${nouns}`).click()
}

/** Deletes the selected records, whose number is typed to confirm it. */
export const deleteSelected = async (page: Page, count: number, nouns: string): Promise<void> => {
  await button(page, 'Delete…').click()
  const confirmation = dialog(page, `Delete ${count} ${nouns}?`)
  await confirmation.getByRole('textbox', { name: `Type ${count} to confirm` }).fill(String(count))
  await confirmation.getByRole('button', { name: `Delete ${count} ${nouns}` }).click()
}
