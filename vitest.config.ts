import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { readLeftOutFiles } from './scripts/test/left-out-tests.mjs'
import { LongestFirst } from './scripts/test/longest-first.mjs'
import { junitFile } from './scripts/test/reports.mjs'

/** Tests of the API. They run on SQLite in `npm test`, and on MariaDB in full before a merge (`npm run test:merge`). */
const onDatabase = ['server/test/**/*.test.ts']

/**
 * Tests of the API that also run on MariaDB in `npm test`, because the SQL is what they test: statements that are written
 * for each engine, migrations, locks, collations, limits of columns, and who may see which row.
 */
const onMariaDb = [
  'access-matrix/*',
  'account-cascade',
  'accounts',
  'alerts',
  'audit-search',
  'audit-trail',
  'backup-consistency',
  'backup-verify',
  'blocked-calls',
  'bulk-change-undo',
  'bulk-change-values',
  'bulk-changes',
  'bulk-phone-numbers',
  'call-hours-migration',
  'call-totals',
  'carriers-with-gateways',
  'conversations',
  'created-sids',
  'data-deletions',
  'inbound-routing',
  'intake',
  'lcrs',
  'leases',
  'limits',
  'long-lists',
  'missing-columns',
  'phone-numbers',
  'provider-cascade',
  'recent-calls',
  'conditional-updates',
  'record-updates',
  'reviews',
  'new-alerts',
  'saved-views',
  'security/races',
  'security/sql',
  'security/unconfirmed-writes',
  'security/write-fairness',
  'sessions',
  'speech-credentials',
  'table-definitions',
  'unknown-parents',
  'users',
  'voip-carriers',
].map((name) => `server/test/${name}.test.ts`)

/** Tests that run few cases in `npm test` and all of them before a merge (`testkit/src/test-tier.ts`). */
const inFull = [
  'server/src/call-data/captures/generated-calls.test.ts',
  'server/test/bad-input.test.ts',
  'server/test/billing-random-walk.test.ts',
  'server/test/encryption-secrets.test.ts',
]

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
  'blocked-calls',
  'call-captures',
  'call-csv-export',
  'call-flows',
  'call-legs',
  'call-logs',
  'call-quality',
  'call-recordings',
  'call-reports',
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

/** Tests of the database, which SQLite does not run, and of other services of a platform. */
const ofDatabase = ['applications', 'list-indexes', 'mysql-pool', 'routing', 'schema-changes'].map(
  (name) => `server/integration-test/${name}.test.ts`,
)
const ofServices = ['server/integration-test/**/*.test.ts', 'testkit/**/*.test.ts']
const mariaDb = {
  globalSetup: ['testkit/src/servers/vitest-mariadb.ts'],
  env: { TEST_ENGINE: 'mysql' },
}
const junit = process.env[junitFile]

/** The timeouts are for slow or busy machines. No test needs this long, and no test passes by waiting. */
const minutes = 60_000
const common = {
  exclude: [...configDefaults.exclude, ...readLeftOutFiles()],
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
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      './scripts/test/vitest-failure-reporter.mjs',
      ...(junit ? [['junit', { outputFile: junit }] satisfies [string, object]] : []),
    ],
    projects: [
      {
        test: {
          name: 'rules',
          ...common,
          include: [
            'contract/**/*.test.ts',
            'rules/**/*.test.ts',
            'server/src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'deploy/**/*.test.ts',
            'fuzz/**/*.test.ts',
          ],
        },
      },
      { test: { name: 'sqlite', ...common, ...shared, include: onDatabase, env: { TEST_ENGINE: 'sqlite' } } },
      {
        test: { name: 'mariadb', ...common, ...shared, ...mariaDb, include: [...ofDatabase, ...onMariaDb] },
      },
      {
        test: {
          name: 'mariadb-rest',
          ...common,
          ...shared,
          ...mariaDb,
          include: [...onDatabase, ...ofServices],
          exclude: [...common.exclude, ...ofDatabase, ...onMariaDb],
        },
      },
      {
        test: {
          name: 'full',
          ...common,
          ...shared,
          include: inFull,
          env: { TEST_ENGINE: 'sqlite', TEST_TIER: 'merge' },
        },
      },
      {
        // Tests that need the built server in a separate process.
        test: {
          name: 'built',
          include: ['server/process-test/**/*.test.ts'],
          globalSetup: ['testkit/src/servers/vitest-mariadb.ts'],
          ...common,
        },
      },
      {
        // Tests with ClickHouse, which takes 546 MB (`npm run test:release`). The tests of call data run again on it.
        test: {
          name: 'clickhouse',
          include: ['server/clickhouse-test/**/*.test.ts', ...onClickHouse],
          env: { TEST_ENGINE: 'sqlite', TEST_CALL_DATA: 'clickhouse' },
          globalSetup: ['testkit/src/servers/vitest-clickhouse.ts'],
          ...common,
          ...shared,
        },
      },
      {
        // Tests of releases and of installations with several programs (`npm run test:release`).
        test: {
          name: 'release',
          include: ['server/release-test/**/*.test.ts'],
          globalSetup: ['testkit/src/servers/vitest-mariadb.ts'],
          ...common,
        },
      },
    ],
  },
})
