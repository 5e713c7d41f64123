import { enter, mysqlStore, type PersistentStore } from '@patchbay/testkit/crash/crash-rounds'
import {
  type Answer,
  answered,
  callApi,
  findLostWrites,
  isDone,
  keepWriting,
  type Ledger,
  openLedger,
  seeded,
  sendAgain,
  type Target,
} from '@patchbay/testkit/crash/durability-ledger'
import { type MariaDb, startMariaDb } from '@patchbay/testkit/servers/mariadb'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { halted } from '@patchbay/testkit/servers/spawn-server'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** MariaDB becomes unavailable while the server runs, and returns. */

const timeoutSeconds = 3

let mariadb: MariaDb
let store: PersistentStore
let server: RunningServer
let target: Target

beforeAll(async () => {
  mariadb = await startMariaDb()
  store = mysqlStore(await mariadb.createDatabase('away'))
  server = await startServer({ ...store.settings, REQUEST_TIMEOUT_SECONDS: String(timeoutSeconds) })
  target = await enter(server)
})
afterAll(async () => {
  await server.stop()
  await mariadb.stop()
})

const says = ({ body }: Answer, name: string): boolean => typeof body === 'object' && body !== null && name in body

/** Writers of call records retry after a 500. No user is signed out. */
const isUnavailable = (answer: Answer): boolean =>
  answer.kind === 'calls' || answer.kind === 'traces'
    ? answer.status === 500 && says(answer, answer.kind === 'calls' ? 'error' : 'message')
    : answer.status === 503 && says(answer, 'msg')

/** Includes a margin for a busy machine. Requests that wait for the database itself wait until it returns. */
const isInTime = ({ milliseconds }: Answer): boolean => milliseconds < 20 * timeoutSeconds * 1000

/** Returns late or unexpected responses, and acknowledged writes that are missing or duplicated. */
const wrongIn = async (ledger: Ledger): Promise<unknown[]> => {
  const wrong = ledger.answers.filter((answer) => !isInTime(answer) || !(isDone(answer) || isUnavailable(answer)))
  await sendAgain(target, ledger)
  return [
    ...wrong,
    ...ledger.openBatches,
    ...ledger.openTraces,
    ...(await findLostWrites(target, ledger)),
    ...(await store.damage()),
  ]
}

const whileWriting = async (ledger: Ledger, happens: () => Promise<void>): Promise<void> => {
  const writing = keepWriting(target, ledger, seeded(Date.now()))
  try {
    await happens()
  } finally {
    await writing.stop()
  }
}

test('responds with 503 while MariaDB is killed, and recovers when it returns', async () => {
  const ledger = await openLedger(target)
  await whileWriting(ledger, async () => {
    for (let outage = 1; outage <= 2; outage += 1) {
      await answered(ledger, isDone)
      await mariadb.kill()
      await answered(ledger, isUnavailable)
      const signIn = await callApi(target, '', 'POST', '/login', { username: 'admin', password: 'whatever-1' })
      expect(signIn).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      await mariadb.restart()
    }
    await answered(ledger, isDone)
  })
  expect(await findLostWrites(target, ledger)).toEqual([])
  expect(await wrongIn(ledger)).toEqual([])
})

test('responds with 503 while MariaDB restarts cleanly', async () => {
  const ledger = await openLedger(target)
  await whileWriting(ledger, async () => {
    await answered(ledger, isDone)
    await mariadb.restart()
    await answered(ledger, isDone)
  })
  expect(await findLostWrites(target, ledger)).toEqual([])
  expect(await wrongIn(ledger)).toEqual([])
})

test('responds with 503 in time while MariaDB hangs, and recovers when it responds', async () => {
  const ledger = await openLedger(target)
  await whileWriting(ledger, async () => {
    try {
      await answered(ledger, isDone)
      await halted(mariadb.pid)
      await answered(ledger, isUnavailable)
      process.kill(mariadb.pid, 'SIGCONT')
      await answered(ledger, isDone)
    } finally {
      process.kill(mariadb.pid, 'SIGCONT')
    }
  })
  expect(await wrongIn(ledger)).toEqual([])
})

test('ends with one line that states the reason if the database is unavailable at start', async () => {
  const port = await freePort()
  const url = `mysql://nobody:a-secret-word@127.0.0.1:${port}/patchbay`
  const starting = startServer({ DATABASE_URL: url, JWT_SECRET: 'a secret of sixteen letters' })
  const why = `The database of DATABASE_URL cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`
  await expect(starting).rejects.toThrow(`the server ended with 1:\n${why}\n`)
  await expect(starting).rejects.not.toThrow('a-secret-word')
})
