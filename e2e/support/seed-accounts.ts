import type { Page } from '@playwright/test'

/** The list of accounts, as if there were so many: the first one again and again, under a name with its number. */
export const showManyAccounts = async (page: Page, count: number, name: string): Promise<void> => {
  await page.route('**/ServiceProviders/*/Accounts', async (route) => {
    const answer = await route.fetch()
    const [one] = await answer.json()
    const many = Array.from({ length: count }, (_, index) => ({
      ...one,
      account_sid: `${String(index).padStart(8, '0')}${one.account_sid.slice(8)}`,
      name: `${name} ${index}`,
    }))
    await route.fulfill({ json: many })
  })
}
