import { EventEmitter, once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { inTransaction, lockForUpdate, openDatabase, UnknownCommitError } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { toApiError } from '@patchbay/server/http/errors'
import { getPort } from '@patchbay/testkit/servers/ports'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { expect, test } from 'vitest'

/** Writes of which the caller gets no confirmation: the error says that they may have been made. */

const api = await openTestApi({ REQUEST_TIMEOUT_SECONDS: '1' })

test('a write that exceeds the time limit may have been made, and the response says so', async () => {
  const account_sid = await api.account(await api.provider())
  const lock = new EventEmitter()
  const locked = once(lock, 'taken')
  const holding = api.services.write('patchbay', async ({ trx, engine }) => {
    const row = trx.selectFrom('accounts').select('account_sid').where('account_sid', '=', account_sid)
    await lockForUpdate(engine, row).execute()
    lock.emit('taken')
    await once(lock, 'release')
  })
  await locked
  const write = await api.admin.put(`/Accounts/${account_sid}`, { name: 'written late' })
  lock.emit('release')
  await holding
  expect(write).toMatchObject({ status: 503, body: { code: 'outcome_unknown' } })
  const name = async () => (await api.admin.get(`/Accounts/${account_sid}`)).body
  await expect.poll(name).toMatchObject({ name: 'written late' })
})

/** Forwards connections to a MariaDB server, and cuts each one when the server has received a COMMIT. */
const startCuttingProxy = async (port: number) => {
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    for (const socket of [client, server]) sockets.add(socket.on('error', () => {}))
    server.pipe(client)
    client.on('data', (data) => {
      if (data.includes('commit')) {
        server.unpipe(client)
        server.once('data', () => client.destroy()).resume()
      }
      server.write(data)
    })
    client.on('close', () => server.end())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const close = () => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port: getPort(proxy), close }
}

test.runIf(isMysql)('a connection that breaks during COMMIT is reported as an unknown outcome', async () => {
  const url = new URL(api.test.address)
  const proxy = await startCuttingProxy(Number(url.port))
  url.port = String(proxy.port)
  const database = openDatabase({ engine: 'mysql', url: url.href, connections: 1 }, sqliteReader)
  try {
    const row = { setting: 'unconfirmed', value: 'written' }
    const error = await inTransaction(database, (trx) =>
      trx.insertInto('patchbay_settings').values(row).execute(),
    ).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(UnknownCommitError)
    expect(toApiError(error)).toMatchObject({ status: 503, code: 'outcome_unknown' })
    const stored = api.test.database.db.selectFrom('patchbay_settings').selectAll().where('setting', '=', row.setting)
    expect(await stored.executeTakeFirst()).toMatchObject(row)
  } finally {
    await database.close()
    proxy.close()
  }
})
