import { afterAll } from 'vitest'
import { createTestApi, type TestApi } from '../../test-api.ts'
import { type ClickHouseServer, startClickHouse } from './clickhouse.ts'

/** Starts the app with a ClickHouse of its own, which tests can kill, and ends both after the last test of the file. */
export const openClickHouseApi = async (): Promise<{ server: ClickHouseServer; api: TestApi }> => {
  const server = await startClickHouse()
  const api = await createTestApi(server.settings)
  afterAll(async () => {
    await api.close()
    await server.stop()
  })
  return { server, api }
}
