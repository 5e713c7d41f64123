import { expect, type Page } from '@playwright/test'

/** Neither the page nor a table in it is wider than its place. */
export const expectToFit = async (page: Page, name: string): Promise<void> => {
  const wider = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('table')].filter((element) => {
      const place = element === document.documentElement ? element : element.parentElement
      return (
        place !== null && Math.max(element.scrollWidth, element.getBoundingClientRect().width) > place.clientWidth + 1
      )
    }),
  )
  expect(wider, `${name} is wider than its place`).toHaveLength(0)
}
