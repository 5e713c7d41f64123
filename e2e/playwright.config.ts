import { defineConfig, devices } from '@playwright/test'
import { findProgram } from '../scripts/run/programs.mjs'
import { readLeftOutFiles } from '../scripts/test/left-out-tests.mjs'
import { junitFile } from '../scripts/test/reports.mjs'

const executablePath = await findProgram('chromium')

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

const junit = process.env[junitFile]

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.e2e.ts',
  testIgnore: readLeftOutFiles().map((file) => `**/${file}`),
  outputDir: '../test-results',
  fullyParallel: true,
  workers: 2,
  // The retry of a failed test records a trace. A test that passes only on its retry is a bug, and fails the run.
  retries: 1,
  failOnFlakyTests: true,
  forbidOnly: Boolean(process.env['CI']),
  // Timeouts for slow or busy machines. No test needs this long, and no test passes by waiting.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [
    ['list'],
    ['./support/failures-reporter.ts'],
    ...(junit ? [['junit', { outputFile: junit }] as const] : []),
  ],
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
