import type { Page } from '@playwright/test'

/** Simulates a list of many accounts by repeating the first one with numbered names. */
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
