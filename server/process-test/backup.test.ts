import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { damageOfSqlite } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { freePort } from '@patchbay/testkit/servers/ports'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { ensureProgram } from '../../scripts/run/programs.mjs'

/** The commands for backups, next to a running server, killed at random moments, and on a full disk. */

const built = fileURLToPath(new URL('../dist/main.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'patchbay-backups-'))
const dataDir = join(folder, 'data')
const file = join(folder, 'demo.backup')
const recording = 'recordings/11111111-1111-4111-8111-111111111111/2026/05/01/call.mp3'
const recordingBytes = Buffer.alloc(2_000_000, 'recorded')
const maxCalls = 5000
const rounds = 8

interface Result {
  code: number
  stdout: string
  stderr: string
}

type Settings = Readonly<Record<string, string>>

const environment = (settings: Settings) => ({ PATH: process.env['PATH'], HOME: folder, ...settings })

const run = (settings: Settings, args: readonly string[], prefix: readonly string[] = []): Promise<Result> =>
  new Promise((resolve) => {
    const [program = '', ...others] = [...prefix, process.execPath, built, ...args]
    const child = execFile(program, others, { env: environment(settings), cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

/** The secrets of the original decrypt the restored credentials. */
const newMysql = async (): Promise<Settings> => {
  const { jwt, encryption } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>
  return {
    DATABASE_URL: await mariaDbClient(inject('mariadb')).createDatabase(),
    JWT_SECRET: jwt ?? '',
    ENCRYPTION_SECRET: encryption ?? '',
    DATA_DIR: mkdtempSync(join(folder, 'mysql-')),
  }
}

const newSqlite = (): Settings => ({ DATA_DIR: mkdtempSync(join(folder, 'sqlite-')) })

/**
 * MySQL stores the times of the platform's tables without milliseconds, which also changes the order of records of the
 * same second.
 */
const toComparable = (body: unknown): string[] =>
  (Array.isArray(body) ? body : [body])
    .map((record) => JSON.stringify(record).replaceAll(/(?<=T\d\d:\d\d:\d\d)\.\d{3}Z/g, 'Z'))
    .toSorted()

/** Responses that contain records of every kind that the demo data has. */
const readApi = async (server: RunningServer): Promise<Record<string, unknown>> => {
  const at = { url: server.url }
  const credentials = { username: 'provider-user', password: 'demo-2026' }
  const signedIn = await callApi(at, '', 'POST', '/login', credentials)
  const { token } = signedIn.body as { token: string }
  const providers = await callApi(at, token, 'GET', '/ServiceProviders')
  const [{ service_provider_sid } = { service_provider_sid: '' }] = providers.body as { service_provider_sid: string }[]
  const provider = `/ServiceProviders/${service_provider_sid}`
  const paths = [
    '/Accounts',
    '/Applications',
    '/PhoneNumbers',
    `${provider}/VoipCarriers`,
    `${provider}/SpeechCredentials`,
    `${provider}/RecentCalls?page=1&count=500`,
    `${provider}/RecentCalls?page=10&count=500`,
    `${provider}/Alerts?page=1&count=500`,
    '/Lcrs',
  ]
  const answers: Record<string, unknown> = {}
  for (const path of paths) {
    const { status, body } = await callApi(at, token, 'GET', path)
    answers[path] = { status, body: toComparable(body) }
  }
  return answers
}

const countRecordings = (): number =>
  readdirSync(join(dataDir, 'recordings'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length

let before: Record<string, unknown>

let backup: Result

beforeAll(async () => {
  await run({ DATA_DIR: dataDir }, ['demo', '--calls', String(maxCalls), '--accounts', '4'])
  mkdirSync(dirname(join(dataDir, recording)), { recursive: true })
  writeFileSync(join(dataDir, recording), recordingBytes)
  const server = await startServer({ DATA_DIR: dataDir })
  before = await readApi(server)
  backup = await run({ DATA_DIR: dataDir }, ['backup', file, '--with-secrets', '--json'])
  await server.stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts a server on restored data and compares it with the original. */
const expectRestored = async (settings: Settings): Promise<void> => {
  const server = await startServer(settings)
  try {
    expect(await readApi(server)).toEqual(before)
    expect(server.firstPassword).toBe('')
  } finally {
    await server.stop()
  }
  expect(readFileSync(join(settings['DATA_DIR'] ?? '', recording)).equals(recordingBytes)).toBe(true)
}

test('a backup of a running server is verified, restored, and served like the original', async () => {
  expect(Object.values(before)).toEqual(Object.values(before).map(() => expect.objectContaining({ status: 200 })))
  expect(backup).toMatchObject({ code: 0, stderr: '' })
  const content = { engine: 'sqlite', recordings: countRecordings(), hasSecrets: true }
  expect(JSON.parse(backup.stdout)).toMatchObject({ file, ...content })
  const verified = await run({}, ['backup', '--verify', file])
  expect(verified).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`${file} is intact`) })
  const target = newSqlite()
  expect(await run(target, ['restore', file])).toMatchObject({ code: 0, stderr: '' })
  await expectRestored(target)
  expect(damageOfSqlite(join(target['DATA_DIR'] ?? '', 'patchbay.sqlite'))).toEqual([])
  const again = await run(target, ['restore', file])
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('into an empty database only') })
})

describe.each([
  ['SQLite', () => Promise.resolve(newSqlite())],
  ['MariaDB', newMysql],
])('on %s', (_engine, createTarget) => {
  test('a restore that is killed repeatedly leaves an empty database or a complete one', async () => {
    let target = await createTarget()
    const started = performance.now()
    expect(await run(target, ['restore', file])).toMatchObject({ code: 0 })
    // The delays cover the whole duration of a restore, whatever it is on this machine.
    let durationMs = performance.now() - started
    target = await createTarget()
    let kills = 0
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, [built, 'restore', file], { env: environment(target), stdio: 'ignore' })
      const exited = once(child, 'exit')
      const part = 0.2 + (0.8 * round) / rounds
      await Promise.race([exited, delay(durationMs * part * (0.9 + 0.2 * Math.random()))])
      child.kill('SIGKILL')
      await exited
      if (child.exitCode === null) kills += 1
      else {
        // The restore succeeded, or it was refused because an earlier one was already complete.
        await expectRestored(target)
        durationMs *= 0.7
        target = await createTarget()
      }
    }
    expect(kills).toBeGreaterThan(2)
    const last = await run(target, ['restore', file])
    expect(last.stderr === '' || last.stderr.includes('into an empty database only')).toBe(true)
    await expectRestored(target)
    // The server has removed the staging folder of a restore that was killed after its last step.
    const expected = /^(?:patchbay\.sqlite|secrets\.json|server\.lock|recordings)/
    expect(readdirSync(target['DATA_DIR'] ?? '').filter((name) => !expected.test(name))).toEqual([])
  })
})

test('a server that starts forgets an interrupted restore, so that no later one deletes its recordings', async () => {
  const settings = newSqlite()
  const path = settings['DATA_DIR'] ?? ''
  mkdirSync(join(path, 'restore.partial'))
  writeFileSync(join(path, 'restore.partial', 'moved.json'), '{}')
  mkdirSync(dirname(join(path, recording)), { recursive: true })
  writeFileSync(join(path, recording), recordingBytes)
  await (await startServer(settings)).stop()
  expect(readdirSync(path)).not.toContain('restore.partial')
  expect(readFileSync(join(path, recording)).equals(recordingBytes)).toBe(true)
})

/** Runs a command on a terminal (man 1 script), which echoes what is typed unless the program prevents it. */
const runOnTerminal = (settings: Settings, args: readonly string[], typed: string): Promise<Result> =>
  typeOnTerminal(settings, [process.execPath, built, ...args], { prompt: 'Passphrase of the backup:', typed })

/** Runs a program on a terminal, and types when it asks. */
const typeOnTerminal = (
  settings: Settings,
  parts: readonly string[],
  { prompt, typed }: { prompt: string; typed: string },
): Promise<Result> =>
  new Promise((resolve) => {
    const command = parts.map((part) => `'${part}'`).join(' ')
    const options = ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null']
    const child = execFile('script', options, { env: environment(settings), cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
    let hasAnswered = false
    child.stdout?.on('data', (text: string) => {
      if (hasAnswered || !text.includes(prompt)) return
      hasAnswered = true
      child.stdin?.write(typed)
    })
  })

test('an encrypted backup asks for its passphrase on a terminal, does not show it, and never asks a script', async () => {
  const passphrase = 'correct horse battery'
  const encrypted = join(folder, 'encrypted.backup')
  expect(await run({ DATA_DIR: dataDir, BACKUP_PASSPHRASE: passphrase }, ['backup', encrypted])).toMatchObject({
    code: 0,
  })
  const verified = await runOnTerminal({}, ['backup', '--verify', encrypted], `${passphrase}x\u007f\r`)
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('is intact') })
  expect(verified.stdout).not.toContain('horse')
  const wrong = await runOnTerminal({}, ['backup', '--verify', encrypted], 'wrong\r')
  expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('The passphrase is wrong') })
  const target = newSqlite()
  expect(await runOnTerminal(target, ['restore', encrypted], `${passphrase}\r`)).toMatchObject({ code: 0 })
  await expectRestored(target)
  expect(await run({}, ['backup', '--verify', encrypted])).toMatchObject({
    code: 1,
    stderr: `${encrypted} is encrypted. Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE.\n`,
  })
  rmSync(encrypted)
})

test('age decrypts an encrypted backup, and tar lists and extracts it', async () => {
  const encrypted = join(folder, 'encrypted.backup')
  const archive = join(folder, 'decrypted.tar')
  const unpacked = join(folder, 'unpacked')
  const settings = { DATA_DIR: dataDir, BACKUP_PASSPHRASE: 'correct horse battery' }
  expect(await run(settings, ['backup', encrypted])).toMatchObject({ code: 0 })
  const age = [await ensureProgram('age'), '--decrypt', '--output', archive, encrypted]
  const typing = { prompt: 'Enter passphrase', typed: 'correct horse battery\r' }
  expect(await typeOnTerminal({}, age, typing)).toMatchObject({ code: 0 })
  mkdirSync(unpacked)
  execFileSync('tar', ['--extract', '--file', archive, '--directory', unpacked])
  const names = execFileSync('tar', ['--list', '--file', archive], { encoding: 'utf8' }).trim().split('\n')
  expect(names).toEqual(expect.arrayContaining(['header.json', 'secrets.json', recording, 'manifest.json', 'sha256']))
  expect(readFileSync(join(unpacked, recording)).equals(recordingBytes)).toBe(true)
  const rows = gunzipSync(readFileSync(join(unpacked, 'tables/users/000001.ndjson.gz'))).toString()
  expect(rows).toContain('"provider-user"')
  rmSync(encrypted)
})

test('with a passphrase, a backup that is not encrypted is read only if the command says so', async () => {
  const plain = join(folder, 'plain.backup')
  expect(await run({ DATA_DIR: dataDir }, ['backup', '--with-secrets', plain])).toMatchObject({ code: 0 })
  const protection = { BACKUP_PASSPHRASE: 'correct horse battery' }
  const target = newSqlite()
  const refusal = {
    code: 1,
    stderr: `${plain} is not encrypted, although BACKUP_PASSPHRASE is set, so anyone could have written it. If you know where it comes from, use --allow-unencrypted. Nothing was changed.\n`,
  }
  expect(await run(protection, ['backup', '--verify', plain])).toMatchObject(refusal)
  expect(await run({ ...target, ...protection }, ['restore', plain])).toMatchObject(refusal)
  expect(await run(protection, ['backup', '--verify', '--allow-unencrypted', plain])).toMatchObject({ code: 0 })
  expect(await run({ ...target, ...protection }, ['restore', '--allow-unencrypted', plain])).toMatchObject({ code: 0 })
  await expectRestored(target)
  rmSync(plain)
})

describe('a database that cannot be used fails with one line and exit code 1', () => {
  const unreachable = async (): Promise<Settings> => ({
    DATABASE_URL: `mysql://root@127.0.0.1:${await freePort()}/patchbay`,
    DATA_DIR: mkdtempSync(join(folder, 'unreachable-')),
  })
  const message = /^The database of DATABASE_URL cannot be reached: [^\n]*ECONNREFUSED[^\n]*\.\n$/

  test('patchbay backup', async () => {
    const other = join(folder, 'failed.backup')
    expect(await run(await unreachable(), ['backup', other])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
    const damaged = mkdtempSync(join(folder, 'damaged-'))
    writeFileSync(join(damaged, 'patchbay.sqlite'), 'not a database '.repeat(500))
    expect(await run({ DATA_DIR: damaged }, ['backup', other])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${damaged}/patchbay.sqlite is damaged or not a database. Restore it from a backup.\n`,
    })
    expect(readdirSync(folder).filter((name) => name.startsWith('failed'))).toEqual([])
  })

  test('patchbay restore', async () => {
    const settings = await unreachable()
    expect(await run(settings, ['restore', file])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
    expect(readdirSync(settings['DATA_DIR'] ?? '')).toEqual([])
  })
})

test('a full disk fails a backup and a restore, and leaves nothing', async () => {
  const limit = ['prlimit', `--fsize=${2 ** 20}:${2 ** 20}`]
  const small = join(folder, 'small.backup')
  const failed = await run({ DATA_DIR: dataDir }, ['backup', small], limit)
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The backup cannot be written') })
  expect(readdirSync(folder).filter((name) => name.startsWith('small'))).toEqual([])
  const target = newSqlite()
  const restored = await run(target, ['restore', file], limit)
  expect(restored).toMatchObject({ code: 1, stdout: '' })
  expect(restored.stderr.split('\n')).toHaveLength(2)
  expect(readdirSync(target['DATA_DIR'] ?? '')).toEqual([])
})
