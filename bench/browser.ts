import { type Browser, chromium } from '@playwright/test'
import { findProgram } from '../scripts/run/programs.mjs'

/** The browser of the benchmarks of the console. */

export const executablePath = await findProgram('chromium')

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })

/** The TypeScript compiler adds calls of this helper to functions that run in a page, which does not have it. */
export const compilerHelper = { content: 'globalThis.__name = (named) => named' }
