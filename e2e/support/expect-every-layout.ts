import type { Page } from '@playwright/test'
import { expectNoFindings, rulesFor, themes, widths } from './axe.ts'
import { expectToFit } from './expect-no-overflow.ts'

/** Asserts that the page is accessible and fits, in both themes and at all widths. */
export const expectEveryLayout = async (page: Page): Promise<void> => {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      const layout = `${colorScheme} ${width}`
      await expectNoFindings(page, layout, { rules: rulesFor(colorScheme, width) })
      await expectToFit(page, layout)
    }
  }
}
