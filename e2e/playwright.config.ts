import { defineConfig, devices } from '@playwright/test'
import { findChromium } from '../scripts/ensure-tools.mjs'

const executablePath = await findChromium()

/**
 * An address bar's suggestions, a page of Chromium's own for each window, and a renderer in reserve: nobody sees them, and
 * they cost as much as the test. Chromium takes this switch once, the last time it is said: so what Playwright turns off
 * with it stands here too.
 */
const unused = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
const unusedByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 2,
  // Of 600 tests in as many browsers one may lose its browser. Which did is said at the end.
  retries: 1,
  forbidOnly: Boolean(process.env['CI']),
  // For machines that are slow or busy with something else: no test waits so long for anything, nor passes by waiting.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['./support/failures-reporter.ts']],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    // Pictures of every step would take a third of the time of all tests.
    trace: { mode: 'on-first-retry', screenshots: false },
    screenshot: 'only-on-failure',
    locale: 'en-US',
    timezoneId: 'Europe/Zurich',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--disable-features=${[...unused, ...unusedByPlaywright].join()}`,
      ],
    },
  },
})
