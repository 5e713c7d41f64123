import { expect, type Page } from '@playwright/test'

/** Asserts that neither the page nor a table in it overflows horizontally. Sizes of table boxes are rounded. */
export const expectToFit = async (page: Page, name: string): Promise<void> => {
  const wider = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const tables = [...document.querySelectorAll('table')].filter(
      (table) =>
        table.parentElement !== null &&
        Math.max(table.scrollWidth, table.getBoundingClientRect().width) > table.parentElement.clientWidth + 1,
    )
    return [...(scrollWidth > clientWidth ? ['the page'] : []), ...tables.map(({ caption }) => caption?.textContent)]
  })
  expect(wider, `${name} is wider than its place`).toEqual([])
}
