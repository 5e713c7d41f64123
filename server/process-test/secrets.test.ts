import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { builtServer, type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

/** Tests of the built server and its commands with changed secrets, on the data of a standalone installation. */

const folder = mkdtempSync(join(tmpdir(), 'patchbay-secrets-'))
const dataDir = join(folder, 'original')
const withSecrets = join(folder, 'with-secrets.backup')
const withoutSecrets = join(folder, 'without-secrets.backup')
const jwtSecret = 'hidden-secret-of-sessions'

type Settings = Readonly<Record<string, string>>

const run = (settings: Settings, ...args: readonly string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: folder, ...settings }
    const command = [...builtServer, ...args]
    const child = execFile(process.execPath, command, { env, cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })

const readDatabaseCheck = async (settings: Settings) => {
  const { code, stdout } = await run(settings, 'check-config', '--strict', '--json')
  const { connections } = JSON.parse(stdout) as { connections: { service: string; detail: string }[] }
  return { code, detail: connections.find(({ service }) => service === 'database')?.detail }
}

/** Returns a stored secret of the demo data as the API decrypts it. */
const readVariables = async ({ url }: RunningServer): Promise<unknown> => {
  const signedIn = await callApi({ url }, '', 'POST', '/login', { username: 'provider-user', password: 'demo-2026' })
  const { token } = signedIn.body as { token: string }
  const { body } = await callApi({ url }, token, 'GET', '/Applications')
  return (body as { name: string; env_vars?: unknown }[]).flatMap(({ env_vars }) => (env_vars ? [env_vars] : []))
}

const readServer = async (settings: Settings) => {
  const server = await startServer(settings)
  try {
    const { status } = await fetch(`${server.url}/readyz`)
    return { status, variables: await readVariables(server) }
  } finally {
    await server.stop()
  }
}

const newFolder = () => mkdtempSync(join(folder, 'restored-'))

let before: unknown

beforeAll(async () => {
  await run({ DATA_DIR: dataDir }, 'demo', '--calls', '10', '--accounts', '2')
  before = (await readServer({ DATA_DIR: dataDir })).variables
  await run({ DATA_DIR: dataDir }, 'backup', withSecrets, '--with-secrets')
  await run({ DATA_DIR: dataDir }, 'backup', withoutSecrets)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a standalone installation still reads its credentials after JWT_SECRET is set', async () => {
  expect(before).toContainEqual(expect.objectContaining({ RETRIES: 3 }))
  const settings = { DATA_DIR: dataDir, JWT_SECRET: jwtSecret }
  expect(await readServer(settings)).toEqual({ status: 200, variables: before })
  const detail = `The schema is current. The stored credentials are encrypted with ${dataDir}/secrets.json.`
  expect(await readDatabaseCheck(settings)).toEqual({ code: 0, detail })
})

test('without its secrets the start and check-config fail with one sentence, and nothing is created', async () => {
  const target = newFolder()
  const restored = await run({ DATA_DIR: target }, 'restore', withoutSecrets)
  const sentence = new RegExp(
    `^The stored credentials of the database cannot be decrypted, because no secret is known: ` +
      `restore the earlier ${target}/secrets\\.json, or set ENCRYPTION_SECRET to the value of "encryption" in it\\.$`,
    'm',
  )
  expect(restored).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(sentence) })
  expect(await run({ DATA_DIR: target }, 'start')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(sentence),
  })
  expect(await readDatabaseCheck({ DATA_DIR: target })).toEqual({ code: 1, detail: expect.stringMatching(sentence) })
  expect(existsSync(join(target, 'secrets.json'))).toBe(false)
  const { encryption } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { encryption: string }
  const repaired = { DATA_DIR: target, ENCRYPTION_SECRET: encryption }
  expect(await readServer(repaired)).toEqual({ status: 200, variables: before })
})

describe('a standalone installation that moves to MariaDB', () => {
  const createTarget = async () => ({
    DATABASE_URL: await mariaDbClient(inject('mariadb')).createDatabase(),
    DATA_DIR: newFolder(),
  })

  test('reads its credentials with the secrets of the backup, on each process that has them', async () => {
    const target = await createTarget()
    const restored = await run(target, 'restore', withSecrets)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout.split('\n').slice(1)).toEqual([
      `The stored credentials are encrypted with ${target.DATA_DIR}/secrets.json.`,
      'Keep secrets.json in the DATA_DIR of each process, or set ENCRYPTION_SECRET to the value of "encryption" in it.',
      'Set JWT_SECRET, which a server with DATABASE_URL needs to sign sessions.',
      '',
    ])
    const settings = { ...target, JWT_SECRET: jwtSecret }
    expect(await readServer(settings)).toEqual({ status: 200, variables: before })
    const other = { ...settings, DATA_DIR: newFolder() }
    const refused = await run(other, 'start')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /not encrypted with JWT_SECRET: restore the earlier \S+secrets\.json, or set ENCRYPTION_SECRET/,
    )
    expect(refused.stderr.split('\n')).toHaveLength(2)
    expect(refused.stderr).not.toContain(jwtSecret)
    const { encryption } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as { encryption: string }
    expect(await readServer({ ...other, ENCRYPTION_SECRET: encryption })).toEqual({ status: 200, variables: before })
  })

  test('is told which setting it needs if the backup contains no secrets', async () => {
    const target = await createTarget()
    const { stdout, code } = await run({ ...target, JWT_SECRET: jwtSecret }, 'restore', withoutSecrets, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      secrets: [expect.stringMatching(/not encrypted with JWT_SECRET: restore .*set ENCRYPTION_SECRET/)],
    })
    expect(stdout).not.toContain(jwtSecret)
  })
})
