import type { Page, Request } from '@playwright/test'
import type { CodeRequest } from './run-code.ts'

/** Steps that fill in forms, and what the forms then write. */

export type Step = (page: Page) => Promise<unknown>

export const fill =
  (label: string, text: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).filter({ visible: true }).first().fill(text)
/** Fills a field in a section with the same name. */
export const type =
  (label: string, text: string): Step =>
  (page) =>
    page.getByRole('textbox', { name: label, exact: true }).fill(text)
export const choose =
  (label: string, option: string | { index: number }): Step =>
  (page) =>
    page.getByRole('combobox', { name: label, exact: true }).selectOption(option)
/** Chooses in a field that can be searched, which it can when the form has loaded. */
export const pick =
  (label: string, option: string): Step =>
  async (page) => {
    await page.getByRole('combobox', { name: label, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
export const press =
  (label: string): Step =>
  (page) =>
    page.getByLabel(label, { exact: true }).first().click()
export const follow =
  (name: string): Step =>
  (page) =>
    page.getByRole('link', { name }).click()

/** Answers all writes of the page instead of the server, which keeps its records, and returns them. */
export const answerWrites = async (page: Page): Promise<CodeRequest[]> => {
  const writes: CodeRequest[] = []
  const isWrite = (request: Request) => request.method() !== 'GET'
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request()
    const path = new URL(request.url()).pathname
    // The check of a new speech service, and the renewal of the session, are not of the form.
    if (!isWrite(request) || /\/(?:session|seen-alerts|.*test)$/.test(path)) return route.fallback()
    writes.push({ method: request.method(), path, body: request.postDataJSON() })
    return route.fulfill({ status: 200, json: { sid: 'new' } })
  })
  return writes
}
