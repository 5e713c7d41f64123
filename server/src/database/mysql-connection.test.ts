import { type Pool, type PoolConnection, TypedParameter } from 'mysql2'
import { expect, test } from 'vitest'
import { withSession } from './mysql-connection.ts'

type Answer = { error: Error } | { rows: object[] }

/** A fake server that returns the given answers. Records the statements and whether the connection was destroyed. */
const createServer = (answers: Answer[]) => {
  const statements: string[] = []
  let destroyed = false
  const connection = {
    query: (text: string, onResult: (error: Error | null, rows?: object[]) => void) => {
      statements.push(text)
      const answer = answers.shift() ?? { rows: [] }
      if ('error' in answer) onResult(answer.error)
      else onResult(null, answer.rows)
    },
    destroy: () => {
      destroyed = true
    },
  } as unknown as PoolConnection
  const getConnection: Pool['getConnection'] = (onConnection) => onConnection(null, connection)
  const pool = withSession({ getConnection, end: () => {} }, TypedParameter.LONGLONG)
  const getConnectionError = () =>
    new Promise<unknown>((resolve) => {
      pool.getConnection((error) => resolve(error))
    })
  return { asked: statements, ask: getConnectionError, destroyed: () => destroyed }
}

const expectedSession = {
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_unicode_ci',
  time_zone: '+00:00',
  sql_mode: 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
}

test('sets and verifies the session of a connection once before using it', async () => {
  const server = createServer([{ rows: [] }, { rows: [expectedSession] }])
  expect(await server.ask()).toBe(null)
  expect(await server.ask()).toBe(null)
  expect(server.asked).toEqual([
    expect.stringMatching(/^SET .*sql_mode = '/),
    expect.stringMatching(/^SELECT .*@@sql_mode/),
  ])
  expect(server.destroyed()).toBe(false)
})

test.each<[string, Answer[]]>([
  ['cannot be set', [{ error: new Error('no') }]],
  ['cannot be read', [{ rows: [] }, { error: new Error('no') }]],
  ['is unknown', [{ rows: [] }, { rows: [] }]],
  ...Object.keys(expectedSession).map((name): [string, Answer[]] => [
    `has another ${name}`,
    [{ rows: [] }, { rows: [{ ...expectedSession, [name]: 'NO_BACKSLASH_ESCAPES' }] }],
  ]),
])('destroys a connection whose session %s', async (_what, answers) => {
  const server = createServer(answers)
  // Treated like a lost connection, so the request fails with 503.
  expect(await server.ask()).toMatchObject({
    fatal: true,
    message: expect.stringMatching(/^the session could not/) as unknown,
  })
  expect(server.destroyed()).toBe(true)
})
