import { defineConfig, devices } from '@playwright/test'
import { findChromium } from '../scripts/ensure-tools.mjs'

const executablePath = await findChromium()

/**
 * Features of Chromium that the tests do not need: suggestions of the address bar, Chromium's own page in each window,
 * and a spare renderer. They take as much time as the tests themselves. Chromium uses only the last occurrence of this
 * switch, so the list repeats the features that Playwright turns off.
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
  // A browser of 600 can crash. A test that passes only on its retry is listed at the end, and is a bug to be found.
  retries: 1,
  forbidOnly: Boolean(process.env['CI']),
  // Timeouts for slow or busy machines. No test needs this long, and no test passes by waiting.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['./support/failures-reporter.ts']],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    // Traces of all tests would take a sixth of the total time, and screenshots in them a third.
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
