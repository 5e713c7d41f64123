import type { Page, Route } from '@playwright/test'

/** Deletions of accounts and service providers with their contents. */

/** Returns the dialogs of a deletion, which lead from one to the other, by the noun of the owner. */
export const cascadeDialogs = (noun: 'account' | 'service provider') => {
  const inUse = (page: Page) => page.getByRole('dialog', { name: `This ${noun} is in use` })
  const question = (page: Page) => page.getByRole('dialog', { name: `Delete ${noun} with contents?` })
  return {
    inUse,
    question,
    withContents: (page: Page) => inUse(page).getByRole('button', { name: 'Delete with contents…' }),
    confirm: (page: Page) => question(page).getByRole('button', { name: `Delete ${noun} with contents` }),
    nameField: (page: Page) => question(page).getByRole('textbox', { name: /^Type .* to confirm$/ }),
  }
}

interface Progress {
  kind: 'account' | 'service_provider'
  sid: string
  name: string
  total: number
  done: number
}

/** Answers requests about a deletion, which the test can change. Nothing is deleted. */
export const answerWithDeletion = async (page: Page, { sid, ...progress }: Progress) => {
  const change = {
    ...progress,
    bulk_change_sid: sid,
    operation: 'delete_cascade',
    status: 'running',
    stop_reason: null,
    failed: 0,
    requested_at: new Date().toISOString(),
    finished_at: null as string | null,
    failures: [] as object[],
  }
  const answer = (route: Route) => route.fulfill({ json: change })
  await page.route('**/patchbay/bulk-changes', answer)
  await page.route('**/patchbay/bulk-changes/*', answer)
  return change
}
