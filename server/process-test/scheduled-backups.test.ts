import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startS3Server } from '@patchbay/testkit/fakes/object-storage/s3'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { builtServer, type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { createConnection } from 'mysql2/promise'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'

/** Scheduled backups of the built server: the process that writes them, kills, two servers, and an object storage. */

let folder: string
let target: string
const servers: RunningServer[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-scheduled-'))
  target = join(folder, 'target')
  mkdirSync(target)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (settings: NodeJS.ProcessEnv = {}): Promise<RunningServer> => {
  const server = await startServer({ DATA_DIR: join(folder, 'data'), BACKUP_TARGET: target, ...settings })
  servers.push(server)
  return server
}

const run = (settings: NodeJS.ProcessEnv, args: readonly string[]) =>
  new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: folder, ...settings }
    const child = execFile(process.execPath, [...builtServer, ...args], { env, cwd: folder }, (_error, _out, stderr) =>
      resolve({ code: child.exitCode, stderr }),
    )
  })

type Row = Record<string, unknown>

const query = (text: string): Row[] => {
  const database = new DatabaseSync(join(folder, 'data', 'patchbay.sqlite'), { timeout: 5000 })
  try {
    return database.prepare(text).all()
  } finally {
    database.close()
  }
}
const listBackups = () => query('SELECT * FROM patchbay_backups ORDER BY started_at')
const waitFor = <T>(work: () => T | Promise<T>) => vi.waitFor(work, { timeout: 60_000, interval: 100 })
const waitForState = (state: string) => waitFor(() => expect(listBackups().at(-1)).toMatchObject({ state }))
const backups = () => readdirSync(target).filter((name) => name.endsWith('.backup'))

/** A recording that takes a while to back up and to verify. */
const addLargeRecording = () => {
  const path = join(folder, 'data/recordings/11111111-1111-4111-8111-111111111111/2026/05/01')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'call.mp3'), Buffer.alloc(400 * 2 ** 20, 'recorded'))
}

test('a server writes an encrypted backup into a folder, which can be restored', async () => {
  const settings = { BACKUP_PASSPHRASE: 'a passphrase of the tests' }
  await start(settings)
  await waitForState('verified')
  const [name = ''] = backups()
  const file = join(target, name)
  const restored = { DATA_DIR: join(folder, 'restored'), ...settings }
  expect(await run(restored, ['restore', file])).toEqual({ code: 0, stderr: '' })
  expect(existsSync(join(folder, 'restored/secrets.json'))).toBe(true)
})

test('a killed server leaves nothing that looks like a backup, and the next one repeats it', async () => {
  addLargeRecording()
  const server = await start()
  await waitFor(() => expect(readdirSync(target)).toEqual([expect.stringMatching(/\.backup\.\d+\.partial$/)]))
  await server.kill()
  const [partial] = readdirSync(target)
  // The child ends with its server, so the size of the file does not change any more.
  await waitFor(() => expect(Number(/\.(\d+)\.partial$/.exec(partial ?? '')?.[1])).toSatisfy(hasExited))
  expect(backups()).toEqual([])
  // The time after which others give a silent process up has passed.
  query('UPDATE patchbay_backups SET heartbeat_at = heartbeat_at - 600000, started_at = started_at - 600000')
  await start()
  await waitFor(() => expect(listBackups()[0]).toMatchObject({ state: 'failed' }))
  query('UPDATE patchbay_backups SET ended_at = ended_at - 600000')
  await waitForState('verified')
  expect(readdirSync(target)).toEqual([expect.stringMatching(/\.backup$/)])
})

const hasExited = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

test('a server that stops ends its backup, and does not count it as failed', async () => {
  addLargeRecording()
  const server = await start()
  await waitFor(() => expect(readdirSync(target)).toHaveLength(1))
  await server.stop()
  expect([readdirSync(target), listBackups()]).toEqual([[], []])
})

test('a full disk fails a backup with the reason, and leaves nothing', async () => {
  addLargeRecording()
  const program = 'prlimit'
  const command = [`--fsize=${64 * 2 ** 20}:${64 * 2 ** 20}`, process.execPath, ...builtServer]
  const settings = { DATA_DIR: join(folder, 'data'), BACKUP_TARGET: target }
  servers.push(await startServer(settings, command, undefined, program))
  await waitForState('failed')
  expect(listBackups()[0]).toMatchObject({
    reason: expect.stringMatching(/^The backup cannot be written: .*: the file would exceed/),
  })
  await waitFor(() => expect(readdirSync(target)).toEqual([]))
})

test('two servers of one database write one backup into an object storage', async () => {
  const s3 = await startS3Server()
  try {
    const { endpoint, name, access_key_id, secret_access_key } = s3.credential
    const secretFile = join(folder, 'secret')
    writeFileSync(secretFile, `${secret_access_key}\n`)
    const url = await mariaDbClient(inject('mariadb')).createDatabase()
    const storage = {
      BACKUP_S3_ENDPOINT: endpoint,
      BACKUP_S3_ACCESS_KEY_ID: access_key_id,
      BACKUP_S3_SECRET_ACCESS_KEY_FILE: secretFile,
    }
    const settings = {
      ...storage,
      DATABASE_URL: url,
      JWT_SECRET: 'a secret of both servers',
      BACKUP_TARGET: `s3://${name}/nightly`,
    }
    await start(settings)
    await start({ ...settings, DATA_DIR: join(folder, 'other') })
    const connection = await createConnection(url)
    try {
      const list = async () => (await connection.query('SELECT name, state FROM patchbay_backups'))[0] as Row[]
      await waitFor(async () => expect(await list()).toEqual([expect.objectContaining({ state: 'verified' })]))
      const object = `s3://${name}/nightly/${String((await list())[0]?.['name'])}`
      expect(await run(storage, ['backup', '--verify', object])).toEqual({ code: 0, stderr: '' })
      const restored = { ...storage, DATA_DIR: join(folder, 'restored') }
      expect(await run(restored, ['restore', object])).toEqual({ code: 0, stderr: '' })
      expect(await run(restored, ['backup', '--verify', `s3://${name}/nightly/none`])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('it does not exist'),
      })
    } finally {
      await connection.end()
    }
  } finally {
    await s3.stop()
  }
})

test.each([
  [{ BACKUP_SCHEDULE: '99 2 * * *' }, 'BACKUP_SCHEDULE: "99 2 * * *" is not a valid schedule'],
  [{ BACKUP_TARGET: 's3://bucket/prefix' }, 'BACKUP_S3_ACCESS_KEY_ID must be set for backups in s3:// storages'],
  [{ BACKUP_TARGET: 'ftp://host/prefix' }, 'is not a target for backups'],
  [{ BACKUP_TARGET: 's3://id:secret@bucket/prefix' }, 'contains credentials'],
  [{ BACKUP_TIME_ZONE: 'Mars/Base' }, 'must be a time zone'],
])('a server does not start with %j', async (settings, message) => {
  const { code, stderr } = await run(
    { DATA_DIR: join(folder, 'data'), PORT: '0', BACKUP_TARGET: target, ...settings },
    ['start'],
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
})
