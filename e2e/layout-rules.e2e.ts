import { seededScreens, seededTest, toAddress } from './support/every-screen.ts'
import { findLayoutErrors } from './support/layout-rules.ts'
import { expect } from './support/test.ts'

/** Every declared screen follows the rules of the layout at all widths, with names of the greatest length. */

const widths = [1920, 1440, 1366, 1280, 1024, 768, 720, 390, 360]

for (const screen of seededScreens)
  seededTest(`${screen.title} follows the rules of the layout at every width`, async ({ page, open, house }) => {
    await open(toAddress(screen, house))
    await expect(page.locator('#page-title')).toBeVisible()
    await page.waitForLoadState('networkidle')
    const errorsByWidth: Record<number, readonly string[]> = {}
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      // The page renders for the new width after the next frame.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
      const errors = await findLayoutErrors(page)
      if (errors.length > 0) errorsByWidth[width] = [...new Set(errors)]
    }
    expect(errorsByWidth).toEqual({})
  })
