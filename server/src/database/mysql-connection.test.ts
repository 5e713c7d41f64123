import type { Connection } from 'mariadb'
import { expect, test } from 'vitest'
import { openSession } from './mysql-connection.ts'

type Response = Error | unknown[][]

/** A fake connection that returns the given responses and records the statements. */
const createConnection = (responses: Response[]) => {
  const statements: string[] = []
  const query = (sql: string) => {
    statements.push(sql)
    const response = responses.shift() ?? []
    return response instanceof Error ? Promise.reject(response) : Promise.resolve([response, []])
  }
  return { statements, connection: { query } as unknown as Pick<Connection, 'query'> }
}

const expectedSession = {
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_unicode_ci',
  time_zone: '+00:00',
  sql_mode: 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
}

test('sets the session of a connection and verifies it', async () => {
  const { connection, statements } = createConnection([[], [Object.values(expectedSession)]])
  await openSession(connection)
  expect(statements).toEqual([
    expect.stringMatching(/^SET .*sql_mode = '/),
    expect.stringMatching(/^SELECT .*@@sql_mode/),
  ])
})

test.each<[string, Response[]]>([
  ['cannot be set', [new Error('no')]],
  ['cannot be read', [[], new Error('no')]],
  ['is unknown', [[], []]],
  ...Object.keys(expectedSession).map((name): [string, Response[]] => [
    `has another ${name}`,
    [[], [Object.values({ ...expectedSession, [name]: 'NO_BACKSLASH_ESCAPES' })]],
  ]),
])('rejects a connection whose session %s', async (_what, responses) => {
  const { connection } = createConnection(responses)
  // A fatal error counts as a lost connection, so the request fails with 503.
  await expect(openSession(connection)).rejects.toMatchObject({
    fatal: true,
    message: expect.stringMatching(/^the session could not/) as unknown,
  })
})
