import { type Pool, type PoolConnection, TypedParameter } from 'mysql2'
import { expect, test } from 'vitest'
import { inSession } from './mysql-connection.ts'

type Answer = { error: Error } | { rows: object[] }

/** A server that answers each statement as told, and what became of its one connection. */
const serverAnswering = (answers: Answer[]) => {
  const asked: string[] = []
  let destroyed = false
  const connection = {
    query: (text: string, answered: (error: Error | null, rows?: object[]) => void) => {
      asked.push(text)
      const answer = answers.shift() ?? { rows: [] }
      if ('error' in answer) answered(answer.error)
      else answered(null, answer.rows)
    },
    destroy: () => {
      destroyed = true
    },
  } as unknown as PoolConnection
  const getConnection: Pool['getConnection'] = (got) => got(null, connection)
  const pool = inSession({ getConnection, end: () => {} }, TypedParameter.LONGLONG)
  const ask = () =>
    new Promise<unknown>((resolve) => {
      pool.getConnection((error) => resolve(error))
    })
  return { asked, ask, destroyed: () => destroyed }
}

const asWanted = {
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  collation_connection: 'utf8mb4_unicode_ci',
  time_zone: '+00:00',
  sql_mode: 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
}

test('a connection is used once its session is set and read back, which happens once', async () => {
  const server = serverAnswering([{ rows: [] }, { rows: [asWanted] }])
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
  ...Object.keys(asWanted).map((name): [string, Answer[]] => [
    `has another ${name}`,
    [{ rows: [] }, { rows: [{ ...asWanted, [name]: 'NO_BACKSLASH_ESCAPES' }] }],
  ]),
])('a connection whose session %s is given up, and answers nobody', async (_what, answers) => {
  const server = serverAnswering(answers)
  // As fatal as a lost connection: the request is answered 503.
  expect(await server.ask()).toMatchObject({
    fatal: true,
    message: expect.stringMatching(/^the session could not/) as unknown,
  })
  expect(server.destroyed()).toBe(true)
})
