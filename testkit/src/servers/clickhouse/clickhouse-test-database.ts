import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { queryClickHouse } from './clickhouse.ts'

/** A new database on the ClickHouse of the test project. */
export interface ClickHouseDatabase {
  /** Settings for a Patchbay server that stores call records in the database. */
  readonly settings: { CLICKHOUSE_URL: string }
  /** Runs a statement and returns its result as text. */
  query(statement: string): Promise<string>
  drop(): Promise<void>
}

/** Whether the test project stores call records in ClickHouse. */
export const isClickHouse = process.env['TEST_CALL_DATA'] === 'clickhouse'

export const createClickHouseDatabase = async (): Promise<ClickHouseDatabase> => {
  const server = inject('clickhouse')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const url = new URL(name, server).href
  await queryClickHouse(server, `CREATE DATABASE ${name}`)
  return {
    settings: { CLICKHOUSE_URL: url },
    query: (statement) => queryClickHouse(url, statement),
    drop: async () => void (await queryClickHouse(server, `DROP DATABASE ${name}`)),
  }
}
