import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'
import type { AxeResults, ElementContext, RunOptions } from 'axe-core'
import { findMissingBlanks } from './missing-blanks.ts'

declare global {
  interface Window {
    axe?: { run: (context: ElementContext, options: RunOptions) => Promise<AxeResults> }
  }
}

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const themes = ['light', 'dark'] as const
const widths = [1440, 1024, 390] as const

/** A theme and a width in pixels. */
export interface Layout {
  colorScheme: (typeof themes)[number]
  width: (typeof widths)[number]
  /** Rules to check with `expectNoFindings`. */
  rules: readonly string[] | undefined
}

/** Rules with results that depend on the width (scrollable regions), and on the theme and layout (colors). */
const widthRules = ['scrollable-region-focusable']
const themeRules = ['color-contrast', 'link-in-text-block', ...widthRules]

/**
 * The light theme is checked with all rules in the wide and the narrow layout, the dark theme only with rules that
 * depend on the theme. At 1024 px, the wide layout has less space but the same colors.
 */
export const rulesFor = (theme: (typeof themes)[number], width: number): readonly string[] | undefined => {
  if (width === 1024) return widthRules
  return theme === 'light' ? undefined : themeRules
}

/** `npm test` checks the layouts to which most rules apply, and the tier `merge` the others. */
const isInTier = ({ colorScheme, width }: Layout): boolean => {
  const isFrequent = width === 1440 || (colorScheme === 'light' && width === 390)
  const tier = process.env['TEST_TIER']
  return tier === 'all' || isFrequent === (tier !== 'merge')
}

const allLayouts: readonly Layout[] = themes.flatMap((colorScheme) =>
  widths.map((width) => ({ colorScheme, width, rules: rulesFor(colorScheme, width) })),
)

/** The layouts in which the tests of this tier check every screen. The gate `layouts` selects the tests that use them. */
export const layoutsOfTier = allLayouts.filter(isInTier)

/** Shows a page in each of these layouts, or in all. */
export const inEachLayout = async (
  page: Page,
  check: (layout: Layout) => Promise<void>,
  layouts = allLayouts,
): Promise<void> => {
  for (const layout of layouts) {
    const { colorScheme, width } = layout
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    await check(layout)
  }
}

/**
 * Asserts that axe reports no violations in the page or in a part of it, with the given rules or all default rules, and
 * that no words run together.
 */
export const expectNoFindings = async (
  page: Page,
  what: string,
  { part, rules }: { part?: string; rules?: readonly string[] | undefined } = {},
): Promise<void> => {
  // The script is large, so it is loaded once per page.
  if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(source)
  const findings = await page.evaluate(
    async ([selector, only]) => {
      if (!window.axe) throw new Error('axe is not there')
      // Elements have other colors during a fade-in.
      const ending = document
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime)))
      await Promise.allSettled(ending.map(({ finished }) => finished))
      const { violations } = await window.axe.run(selector ?? document, {
        resultTypes: ['violations'],
        ...(only ? { runOnly: [...only] } : {}),
      })
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`.slice(0, 400))
    },
    [part, rules] as const,
  )
  expect(findings, what).toEqual([])
  if (rules === undefined) expect(await findMissingBlanks(page, part), `words of ${what} that run together`).toEqual([])
}
