import { createApp } from '@patchbay/server/app'
import { readConfiguration } from '@patchbay/server/configuration'
import { openMigrated } from '@patchbay/server/database/migrations'
import { createPasswords } from '@patchbay/server/passwords'
import { firstStart } from '@patchbay/server/seed/first-start'
import { createServices } from '@patchbay/server/services'
import { createAuditTrail, noAuditTrail } from '@patchbay/server/stores/audit-trail'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, enginesAsked, printTable, provideMariaDb, quantile } from './support.ts'

/**
 * npm run bench:audit [sqlite] [mariadb]: what the audit trail adds to a write. Two apps on one database, one with it and
 * one without, take turns block by block in one process: over HTTP as clients write, and injected, where nothing hides it.
 */

type App = Awaited<ReturnType<typeof createApp>>

const blocks = 300
const writesInBlock = 10
const password = 'Adm1n-of-the-benchmark'

const fail = (error: unknown): never => {
  throw error
}

const signedIn = async (app: App): Promise<string> => {
  const payload = { username: 'admin', password }
  return (await app.inject({ method: 'POST', url: '/v1/login', payload })).json<{ token: string }>().token
}

interface Target {
  path: string
  token: string
}

/** Changes the account, and answers the status. */
type Put = (payload: object) => Promise<number>

const injecting =
  (app: App, { path, token }: Target): Put =>
  async (payload) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await app.inject({ method: 'PUT', url: path, headers, payload })).statusCode
  }

/** Over one connection that stays open. */
const sending = async (app: App, { path, token }: Target): Promise<Put> => {
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (payload) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(payload)
      const length = { 'content-length': Buffer.byteLength(body) }
      request(`${address}${path}`, { agent, method: 'PUT', headers: { ...headers, ...length } }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
      })
        .once('error', reject)
        .end(body)
    })
}

/** Milliseconds that a block of writes takes, each of which changes something. */
const writeBlock = async (put: Put, block: number): Promise<number> => {
  const began = performance.now()
  for (let write = 0; write < writesInBlock; write += 1) {
    const payload = { name: `block ${block} write ${write}`, device_to_call_ratio: (block + write + 100) % 100 }
    const status = await put(payload)
    if (status !== 204) throw new Error(`the change was answered with ${status}`)
  }
  return performance.now() - began
}

type Sides<T> = Record<'plain' | 'audited', T>

/** A row of the table: both sides write by turns. */
const compare = async (name: string, puts: Sides<Put>): Promise<string[]> => {
  await writeBlock(puts.plain, -2)
  await writeBlock(puts.audited, -1)
  const times: Sides<number[]> = { plain: [], audited: [] }
  for (let block = 0; block < blocks; block += 1) {
    // The one that comes second finds the caches warm, so they take turns at that, too.
    const turns = block % 2 === 0 ? (['plain', 'audited'] as const) : (['audited', 'plain'] as const)
    for (const turn of turns) times[turn].push(await writeBlock(puts[turn], 2 * block + Number(turn === 'plain')))
  }
  const each = (of: readonly number[]) => quantile(of, 0.5) / writesInBlock
  const ratios = times.audited.map((time, at) => time / (times.plain[at] ?? Number.NaN))
  const more = `${((quantile(ratios, 0.5) - 1) * 100).toFixed(1)} %`
  return [name, each(times.plain).toFixed(2), each(times.audited).toFixed(2), more, 'under 10 %']
}

const measure = async (engine: Engine): Promise<string[][]> => {
  const mariadb = await provideMariaDb(engine)
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-bench-'))
  const configuration = readConfiguration({
    DATA_DIR: folder,
    JWT_SECRET: 'a secret for benchmarks only, long enough',
    DISABLE_RATE_LIMITS: '1',
    ...(mariadb ? { DATABASE_URL: await mariadb.createDatabase() } : {}),
  })
  const { database, migrated } = await openMigrated(configuration.database)
  const passwords = createPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 })
  const options = { configuration, database, lacks: migrated.lacks, passwords }
  await firstStart(createServices(options), migrated, password)
  await database.db.updateTable('users').set({ force_change: 0 }).where('name', '=', 'admin').execute()
  const plain = await createApp({ ...options, trail: noAuditTrail })
  const audited = await createApp({ ...options, trail: createAuditTrail(database, fail) })
  const token = await signedIn(plain)
  const make = async (url: string, payload: object) =>
    (
      await plain.inject({ method: 'POST', url: `/v1${url}`, headers: { authorization: `Bearer ${token}` }, payload })
    ).json<{ sid: string }>().sid
  const service_provider_sid = await make('/ServiceProviders', { name: 'of the benchmark' })
  const path = `/v1/Accounts/${await make('/Accounts', { name: 'of the benchmark', service_provider_sid })}`
  const target = { path, token }
  const rows = [
    await compare(`${engine}, injected`, { plain: injecting(plain, target), audited: injecting(audited, target) }),
    await compare(`${engine}, over HTTP`, {
      plain: await sending(plain, target),
      audited: await sending(audited, target),
    }),
  ]
  await Promise.all([plain.close(), audited.close()])
  await database.close()
  await mariadb?.stop()
  rmSync(folder, { recursive: true, force: true })
  return rows
}

const rows: string[][] = []
for (const engine of enginesAsked(process.argv.slice(2))) rows.push(...(await measure(engine)))
printTable([['change an account', 'without, ms', 'with, ms', 'more (median of blocks)', 'goal'], ...rows])
