import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Unit tests run once. Tests with a database run on both engines. */
const onDatabase = ['server/test/**/*.test.ts']

/** Tests of what reads and receives call data. They run a third time with the data in ClickHouse. */
const onClickHouse = [
  'access-matrix/allowed-callers',
  'access-matrix/denied-callers',
  'access-matrix/lists',
  'access-matrix/tenant-isolation',
  'agent-conversations',
  'alert-destinations',
  'alert-groups',
  'alert-hooks',
  'alerts',
  'bad-input',
  'call-captures',
  'call-csv-export',
  'call-legs',
  'call-logs',
  'call-quality',
  'call-recordings',
  'call-shares',
  'call-totals',
  'call-traces',
  'carrier-health',
  'carrier-health-history',
  'conversation-events',
  'conversation-limits',
  'conversation-quality',
  'conversation-search',
  'conversations',
  'data-deletions',
  'demo',
  'forward-agent-events',
  'intake',
  'linked-traces',
  'live-calls',
  'masked-intakes',
  'masking-rules',
  'model-reviews',
  'muted-recordings',
  'overview',
  'recent-calls',
  'recorded-conversations',
  'reviews',
  'security/agent-event-floods',
  'security/alert-isolation',
  'security/exports',
  'security/intake',
  'security/intake-limits',
  'security/quotas',
  'security/recording-isolation',
  'security/shared-ids',
  'security/sql',
  'security/tenant-limits',
  'security/upload-races',
  'security/view-only',
  'sip-ladder',
  'system-status',
  'unknown-parents',
].map((name) => `server/test/${name}.test.ts`)

/** Timeouts for slow or busy machines. No test needs this long, and no test passes by waiting. */
const minutes = 60_000
const patience = {
  testTimeout: 5 * minutes,
  hookTimeout: 5 * minutes,
  teardownTimeout: minutes,
  expect: { poll: { timeout: 2 * minutes } },
}

/** Loading the server takes longer than most test files, so files share it. No test changes it permanently. */
const shared = { isolate: false }

export default defineConfig({
  test: {
    // Many tests wait for a clock or another process. With as many workers as cores, a quarter of the cores would be
    // idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ['default', './scripts/vitest-failure-reporter.mjs'],
    projects: [
      {
        test: {
          name: 'rules',
          ...patience,
          include: [
            'contract/**/*.test.ts',
            'server/src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'deploy/**/*.test.ts',
            'fuzz/**/*.test.ts',
          ],
        },
      },
      { test: { name: 'sqlite', ...patience, ...shared, include: onDatabase, env: { TEST_ENGINE: 'sqlite' } } },
      {
        test: {
          name: 'mariadb',
          include: [...onDatabase, 'testkit/**/*.test.ts', 'server/integration-test/**/*.test.ts'],
          env: { TEST_ENGINE: 'mysql' },
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          ...patience,
          ...shared,
        },
      },
      {
        // Tests that need the built server in a separate process.
        test: {
          name: 'built',
          include: ['server/process-test/**/*.test.ts'],
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          ...patience,
        },
      },
      {
        // Tests with ClickHouse, which takes 546 MB (`npm run test:release`). The tests of call data run again on it.
        test: {
          name: 'clickhouse',
          include: ['server/clickhouse-test/**/*.test.ts', ...onClickHouse],
          env: { TEST_ENGINE: 'sqlite', TEST_CALL_DATA: 'clickhouse' },
          globalSetup: ['testkit/src/vitest-clickhouse.ts'],
          ...patience,
          ...shared,
        },
      },
      {
        // Tests of releases and of installations with several programs (`npm run test:release`).
        test: {
          name: 'release',
          include: ['server/release-test/**/*.test.ts'],
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          ...patience,
        },
      },
    ],
  },
})
