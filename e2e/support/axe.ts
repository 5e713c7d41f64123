import { expect, type Page } from '@playwright/test'
import type { AxeResults, ElementContext, RunOptions } from 'axe-core'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

declare global {
  interface Window {
    axe?: { run: (context: ElementContext, options: RunOptions) => Promise<AxeResults> }
  }
}

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

export const themes = ['light', 'dark'] as const
export const widths = [1440, 1024, 390] as const

/** What scrolls is decided by the width, what colours things have by the theme and by the wide or narrow layout. */
const ofWidths = ['scrollable-region-focusable']
const ofThemes = ['color-contrast', 'link-in-text-block', ...ofWidths]

/**
 * In light the wide and the narrow layout are held to every rule, in dark to those that a look can change. 1024 px are the
 * wide layout with less room: its colours are known by then.
 */
export const rulesFor = (theme: (typeof themes)[number], width: number): readonly string[] | undefined => {
  if (width === 1024) return ofWidths
  return theme === 'light' ? undefined : ofThemes
}

/** Axe finds nothing in the page, or in a part of it; by these rules, or by all that it has on. */
export const expectNoFindings = async (
  page: Page,
  what: string,
  { part, rules }: { part?: string; rules?: readonly string[] | undefined } = {},
): Promise<void> => {
  // It is large: brought once, it stays until the page is left.
  if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(source)
  const findings = await page.evaluate(
    async ([selector, only]) => {
      if (!window.axe) throw new Error('axe is not there')
      // What fades in has other colours on its way.
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
}
