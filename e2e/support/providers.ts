import type { Page } from '@playwright/test'
import { fetchUnconditionally } from './unconditional-fetch.ts'

/** Limits the console's list of service providers to these, because other tests create further ones. */
export const showProviders = (page: Page, names: readonly string[]) =>
  page.route('**/ServiceProviders', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await fetchUnconditionally(route)
    const all: { name: string }[] = await answer.json()
    return route.fulfill({ json: all.filter(({ name }) => names.includes(name)) })
  })
