import type { Page } from '@playwright/test'
import { expectNoFindings, inEachLayout } from './axe.ts'
import { expectToFit } from './expect-no-overflow.ts'

/** Asserts that the page is accessible and fits, in both themes and at all widths. */
export const expectEveryLayout = (page: Page): Promise<void> =>
  inEachLayout(page, async ({ colorScheme, width, rules }) => {
    const name = `${colorScheme} ${width}`
    await expectNoFindings(page, name, { rules })
    await expectToFit(page, name)
  })
