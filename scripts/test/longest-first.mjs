import { BaseSequencer } from 'vitest/node'

/**
 * The test files that take longer than a minute on two cores. Vitest starts large files first if it knows no durations, as
 * in a fresh clone: these are small, would start last, and then run alone.
 */
export const longFiles = [
  'server/process-test/benchmarks.test.ts',
  'server/process-test/released-databases.test.ts',
  'server/process-test/crash-recovery.test.ts',
  'server/process-test/alerts-killed.test.ts',
  'server/process-test/scheduled-backups.test.ts',
  'server/process-test/backup.test.ts',
  'server/release-test/container-image.test.ts',
  'server/release-test/archive.test.ts',
  'server/release-test/rolling-upgrade.test.ts',
  'server/release-test/upgrade.test.ts',
  'server/release-test/capture-agents.test.ts',
  'server/release-test/load-balancer.test.ts',
  'server/test/call-flows.test.ts',
  'server/clickhouse-test/copy-calls.test.ts',
  'server/clickhouse-test/kills.test.ts',
]

/** Starts the long test files first, in the order of the list, and the others in the order of Vitest. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }) => {
      const index = longFiles.findIndex((name) => moduleId.endsWith(`/${name}`))
      return index < 0 ? longFiles.length : index
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
