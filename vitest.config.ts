import { defineConfig } from 'vitest/config'

/** Rules run once; everything that touches a database runs on both engines. */
const onDatabase = ['server/test/**/*.test.ts']

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'rules',
          include: [
            'contract/**/*.test.ts',
            'server/src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'scripts/**/*.test.mjs',
          ],
        },
      },
      { test: { name: 'sqlite', include: onDatabase, env: { TEST_ENGINE: 'sqlite' } } },
      {
        test: {
          name: 'mariadb',
          include: [...onDatabase, 'testkit/**/*.test.ts', 'server/platform-test/**/*.test.ts'],
          env: { TEST_ENGINE: 'mysql' },
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Against the built server in processes of its own: what only a whole process can show.
        test: {
          name: 'built',
          include: ['server/built-test/**/*.test.ts'],
          globalSetup: ['testkit/src/vitest-mariadb.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
