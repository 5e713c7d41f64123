import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '@patchbay/server/app/app'
import { createServices } from '@patchbay/server/app/create-services'
import { firstStart } from '@patchbay/server/app/seed/first-start'
import { createPasswords } from '@patchbay/server/auth/password-hashing'
import { readConfiguration } from '@patchbay/server/config/configuration'
import { createAuditTrail, noAuditTrail } from '@patchbay/server/database/audit-trail'
import { openMigrated } from '@patchbay/server/database/migrations'
import { durable, type Engine, parseEngines, printTable, provideMariaDb, quantile, scaled } from './harness.ts'

/**
 * npm run bench:audit [sqlite] [mariadb]: measures what the audit trail adds to a write. Two apps in one process use
 * the same database, one with the audit trail and one without, and alternate by block. Requests are sent over HTTP like
 * by clients, and injected to exclude the HTTP overhead. The result is a total over all blocks, so that it includes
 * work that the database does only once for many writes.
 */

type App = Awaited<ReturnType<typeof createApp>>

const blocks = scaled(150, 2)
/**
 * The writes of all kinds in a block create as many entries as SQLite moves together, so that every block includes one
 * move.
 */
const writesPerBlock = 15
const password = 'Adm1n-of-the-benchmark'

const fail = (error: unknown): never => {
  throw error
}

const signedIn = async (app: App): Promise<string> => {
  const payload = { username: 'admin', password }
  return (await app.inject({ method: 'POST', url: '/v1/login', payload })).json<{ token: string }>().token
}

interface Answer {
  status: number
  body: string
}

/** Sends a write to one of the two apps. */
type Send = (method: 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) => Promise<Answer>

const sendByInjection =
  (app: App, token: string): Send =>
  async (method, path, payload) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await app.inject({ method, url: `/v1${path}`, headers, ...(payload ? { payload } : {}) })
    return { status: answer.statusCode, body: answer.body }
  }

/** Sends requests over one keep-alive connection. */
const sendOverHttp = async (app: App, token: string): Promise<Send> => {
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const type = { 'content-type': 'application/json' }
  return (method, path, payload) =>
    new Promise((resolve, reject) => {
      const body = payload ? JSON.stringify(payload) : ''
      const length = { 'content-length': Buffer.byteLength(body) }
      const headers = { authorization: `Bearer ${token}`, ...(payload ? type : {}), ...length }
      request(`${address}/v1${path}`, { agent, method, headers }, (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
      })
        .once('error', reject)
        .end(body)
    })
}

const sure = async (answered: Promise<Answer>): Promise<string> => {
  const { status, body } = await answered
  if (status >= 300) throw new Error(`a write was answered with ${status}: ${body}`)
  return body
}

const create = async (send: Send, path: string, payload: object): Promise<string> =>
  (JSON.parse(await sure(send('POST', path, payload))) as { sid: string }).sid

interface Target {
  account_sid: string
  voip_carrier_sid: string
}

/** Sequential writes of one kind. Each write changes the record. */
type Kind = (send: Send, target: Target, block: number) => Promise<void>

const writeIndexes = Array.from({ length: writesPerBlock }, (_, turn) => turn)

const changeAccount: Kind = async (send, { account_sid }, block) => {
  for (const turn of writeIndexes)
    await sure(
      send('PUT', `/Accounts/${account_sid}`, {
        name: `block ${block} write ${turn}`,
        device_to_call_ratio: (block + turn + 100) % 100,
      }),
    )
}

/** Creates, changes, and deletes a record. */
const createChangeDelete =
  (path: string, createPayload: (target: Target, name: number) => object, change: (target: Target) => object): Kind =>
  async (send, target, block) => {
    for (const turn of writeIndexes) {
      const sid = await create(send, path, createPayload(target, block * writesPerBlock + turn))
      await sure(send('PUT', `${path}/${sid}`, change(target)))
      await sure(send('DELETE', `${path}/${sid}`))
    }
  }

const hook = { url: 'https://apps.example.org/call', method: 'POST' }

const kinds: Readonly<Record<string, { write: Kind; each: number }>> = {
  'an account changed': { write: changeAccount, each: 1 },
  'an application made, changed, deleted': {
    each: 3,
    write: createChangeDelete(
      '/Applications',
      ({ account_sid }, name) => ({
        name: `application ${name}`,
        account_sid,
        call_hook: hook,
        call_status_hook: hook,
      }),
      () => ({ call_hook: { ...hook, url: 'https://apps.example.org/other' } }),
    ),
  },
  'a phone number made, changed, deleted': {
    each: 3,
    write: createChangeDelete(
      '/PhoneNumbers',
      ({ voip_carrier_sid }, name) => ({ number: String(15_080_000_000 + name), voip_carrier_sid }),
      ({ account_sid }) => ({ account_sid }),
    ),
  },
}

type Sides<T> = Record<'plain' | 'audited', T>

const sum = (of: readonly number[]): number => of.reduce((all, time) => all + time, 0)

const added = (ratio: number): string => `${((ratio - 1) * 100).toFixed(1)} %`

/** Returns a row for each kind of write and one for the total. The two apps alternate. */
const compare = async (name: string, sides: Sides<Send>, target: Target): Promise<string[][]> => {
  const times = new Map<string, Sides<number[]>>()
  for (const kind of Object.keys(kinds)) times.set(kind, { plain: [], audited: [] })
  for (let block = -1; block < blocks; block += 1) {
    // The second app benefits from warm caches, so the order alternates, too.
    const order = block % 2 === 0 ? (['plain', 'audited'] as const) : (['audited', 'plain'] as const)
    for (const [kind, { write, each }] of Object.entries(kinds))
      for (const side of order) {
        const began = performance.now()
        await write(sides[side], target, 2 * block + Number(side === 'plain') + 2)
        // The first block warms up the caches and is not counted.
        if (block >= 0) times.get(kind)?.[side].push((performance.now() - began) / writesPerBlock / each)
      }
  }
  const row = (what: string, plain: readonly number[], audited: readonly number[]) => {
    const each = [plain, audited].map((of) => quantile(of, 0.5).toFixed(2))
    return [name, what, ...each, added(sum(audited) / sum(plain))]
  }
  const together = (side: keyof Sides<unknown>) =>
    Array.from({ length: blocks }, (_, at) =>
      [...times].reduce((all, [kind, of]) => all + (of[side][at] ?? 0) * (kinds[kind]?.each ?? 0), 0),
    )
  return [
    ...[...times].map(([kind, { plain, audited }]) => row(kind, plain, audited)),
    row('all of them', together('plain'), together('audited')),
  ]
}

const measure = async (engine: Engine): Promise<string[][]> => {
  const mariadb = await provideMariaDb(engine, durable)
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-'))
  const configuration = readConfiguration({
    DATA_DIR: folder,
    JWT_SECRET: 'a secret for benchmarks only, long enough',
    DISABLE_RATE_LIMITS: '1',
    ...(mariadb ? { DATABASE_URL: await mariadb.createDatabase() } : {}),
  })
  const { database, migrated } = await openMigrated(configuration.database)
  const passwords = createPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 })
  const options = { configuration, database, missingSchema: migrated.missingSchema, passwords }
  await firstStart(createServices(options), migrated, password)
  await database.db.updateTable('users').set({ force_change: 0 }).where('name', '=', 'admin').execute()
  const plain = await createApp({ ...options, trail: noAuditTrail })
  const audited = await createApp({ ...options, trail: createAuditTrail(database, fail) })
  const token = await signedIn(plain)
  const send = sendByInjection(plain, token)
  const service_provider_sid = await create(send, '/ServiceProviders', { name: 'of the benchmark' })
  const target = {
    account_sid: await create(send, '/Accounts', { name: 'of the benchmark', service_provider_sid }),
    voip_carrier_sid: await create(send, '/VoipCarriers', { name: 'of the benchmark', service_provider_sid }),
  }
  const injected = { plain: send, audited: sendByInjection(audited, token) }
  const rows = await compare(`${engine}, injected`, injected, target)
  const overHttp = { plain: await sendOverHttp(plain, token), audited: await sendOverHttp(audited, token) }
  rows.push(...(await compare(`${engine}, over HTTP`, overHttp, target)))
  await Promise.all([plain.close(), audited.close()])
  await database.close()
  await mariadb?.stop()
  rmSync(folder, { recursive: true, force: true })
  return rows
}

const rows: string[][] = []
for (const engine of parseEngines(process.argv.slice(2))) rows.push(...(await measure(engine)))
printTable([
  ['', 'writes', 'one without, ms (median)', 'one with, ms', 'more (all blocks together); goal: 10 %'],
  ...rows,
])
