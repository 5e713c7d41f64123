import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as moment } from 'node:timers/promises'
import { enter, mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import mysql from 'mysql2/promise'
import { expect, inject, test } from 'vitest'

/** The server stops on request, regardless of its clients, and closes its database. */

const dangling = [
  ['a connection that says nothing', ''],
  ['half a request line', 'GET /hea'],
  ['half a header', 'POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Le'],
  [
    'half a body',
    'POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"us',
  ],
] as const

const ports = ({ url, intakePort }: RunningServer): number[] => [Number(new URL(url).port), intakePort]

const open = async (port: number, text: string): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test.each(dangling)('%s does not delay the stop', async (_what, text) => {
  const store = sqliteStore()
  const server = await startServer(store.settings)
  try {
    const sockets = await Promise.all(ports(server).map((port) => open(port, text)))
    await fetch(`${server.url}/health`)
    process.kill(server.pid, 'SIGTERM')
    expect(await server.ended).toBe(0)
    // SQLite removes the file when the last connection closes.
    expect(existsSync(join(server.dataDir, 'patchbay.sqlite-wal'))).toBe(false)
    for (const socket of sockets) socket.destroy()
  } finally {
    await server.kill()
    store.remove()
  }
})

test('a request in progress is completed, and new ones are not accepted', async () => {
  const client = mariaDbClient(inject('mariadb'))
  const url = await client.createDatabase('slow_request')
  const store = mysqlStore(url)
  const server = await startServer(store.settings)
  const other = await mysql.createConnection(url)
  try {
    const target = await enter(server)
    await other.query('BEGIN')
    const [[account]] = await other.query<mysql.RowDataPacket[]>('SELECT account_sid FROM accounts FOR UPDATE')
    const path = `/Accounts/${String(account?.['account_sid'])}`
    const changing = callApi(target, target.session, 'PUT', path, { name: 'changed at the last moment' })
    const waiting = async () => {
      const [rows] = await other.query<mysql.RowDataPacket[]>(
        "SELECT 1 FROM information_schema.processlist WHERE db = DATABASE() AND info LIKE '%for update%' AND info NOT LIKE '%processlist%'",
      )
      return rows.length > 0
    }
    while (!(await waiting())) await moment(10)
    process.kill(server.pid, 'SIGTERM')
    const refused = async () => (await fetch(`${server.url}/health`).catch(() => undefined)) === undefined
    while (!(await refused())) await moment(10)
    await other.query('ROLLBACK')
    expect(await changing).toMatchObject({ status: 204 })
    expect(await server.ended).toBe(0)
  } finally {
    await other.end()
    await server.kill()
    await client.dropDatabase('slow_request')
  }
})

/** A keep-alive client that reads one response at a time on one connection. */
const keepAliveClient = async (url: string) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let failure: Error | undefined
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', (error) => {
    failure = error
  })
  await once(socket, 'connect')
  return {
    async request(): Promise<string> {
      text = ''
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      while (!text.endsWith('\r\n\r\nOK')) await once(socket, 'data')
      return text
    },
    /** Waits until the connection is closed. Returns the error that closed it, if any. */
    failure: async (): Promise<Error | undefined> => {
      if (!socket.closed) await once(socket, 'close').catch(() => {})
      return failure
    },
  }
}

test('responds to requests on idle keep-alive connections with Connection: close after SIGTERM, and resets none', async () => {
  const store = sqliteStore()
  const server = await startServer(store.settings)
  try {
    const clients = await Promise.all(Array.from({ length: 20 }, () => keepAliveClient(server.url)))
    for (const client of clients) expect(await client.request()).toMatch(/\r\nconnection: keep-alive\r\n/i)
    process.kill(server.pid, 'SIGTERM')
    const [first, ...others] = clients
    // The responses show when the shutdown has started.
    while (!/\r\nconnection: close\r\n/i.test((await first?.request()) ?? ''));
    const answers = await Promise.all(others.map((client) => client.request()))
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n/i)
    for (const client of clients) expect(await client.failure()).toBeUndefined()
    expect(await server.ended).toBe(0)
  } finally {
    await server.kill()
    store.remove()
  }
})
