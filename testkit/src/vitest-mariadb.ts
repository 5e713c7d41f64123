import type { TestProject } from 'vitest/node'
import { type MariaDbAddress, startMariaDb } from './mariadb.ts'

declare module 'vitest' {
  interface ProvidedContext {
    mariadb: MariaDbAddress
  }
}

/** One server for all test files of a project; each makes its databases with `mariaDbClient(inject('mariadb'))`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startMariaDb()
  project.provide('mariadb', { port: server.port, socket: server.socket })
  return () => server.stop()
}
