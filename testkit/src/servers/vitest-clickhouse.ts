import type { TestProject } from 'vitest/node'
import { startClickHouse } from './clickhouse/clickhouse.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Base URL with the credentials of a server, without a database. */
    clickhouse: string
  }
}

/** Starts a server for all test files of a project. Each file creates its own database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startClickHouse()
  project.provide('clickhouse', new URL('/', server.url).href)
  return () => server.stop()
}
