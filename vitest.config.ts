import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Rules run once; everything that touches a database runs on both engines. */
const onDatabase = ['server/test/**/*.test.ts']

/** For machines that are slow or busy with something else: no test waits so long for anything, nor passes by waiting. */
const minutes = 60_000
const patience = {
  testTimeout: 5 * minutes,
  hookTimeout: 5 * minutes,
  teardownTimeout: minutes,
  expect: { poll: { timeout: 2 * minutes } },
}

/** Loading the server costs more than most files of tests: they share it. None of them leaves anything behind in it. */
const shared = { isolate: false }

export default defineConfig({
  test: {
    // Many tests wait for a clock or for another process: as many as there are cores leave a quarter of them idle.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ['default', './scripts/vitest-failure-reporter.mjs'],
    // As with the browser's: of 8,000 tests one is not what a change is judged by. Which it was is said at the end.
    retry: 1,
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
        // Against the built server in processes of its own: what only a whole process can show.
        test: {
          name: 'built',
          include: ['server/process-test/**/*.test.ts'],
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          ...patience,
        },
      },
    ],
  },
})
