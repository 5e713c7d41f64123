import type { TestProject } from 'vitest/node'
import { type MariaDbAddress, startMariaDb } from './mariadb.ts'

declare module 'vitest' {
  interface ProvidedContext {
    mariadb: MariaDbAddress
  }
}

/**
 * Starts a server for all test files of a project. Each file creates its databases with
 * `mariaDbClient(inject('mariadb'))`.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startMariaDb()
  const { port, socket, isMysql } = server
  project.provide('mariadb', { port, socket, isMysql })
  return () => server.stop()
}
