import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { enter, mysqlStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi } from '@patchbay/testkit/crash/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { getPort } from '@patchbay/testkit/servers/ports'
import { builtServer, startServer } from '@patchbay/testkit/servers/server-process'
import { mountTmpfs } from '@patchbay/testkit/servers/tmpfs'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'

/** Errors that prevent a start are reported in one sentence, and no data is lost. */

let folder: string
const taken = createServer()
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-start-'))
  await once(taken.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  taken.close()
  rmSync(folder, { recursive: true })
})

const createDataDir = (name: string, files: Record<string, string> = {}): string => {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

const createLink = (name: string, target: string): string => {
  const path = join(folder, name)
  symlinkSync(join(folder, target), path)
  return path
}

/** Returns the output of a failed start, which must be one line with exit code 1. */
const getStartError = async (settings: NodeJS.ProcessEnv, command = builtServer, program?: string): Promise<string> => {
  const all = { DATA_DIR: join(folder, 'unused'), ...settings }
  const failed: unknown = await startServer(all, command, undefined, program).then(
    (server) => server.stop(),
    (error: unknown) => error,
  )
  const [, line] = /^the server ended with 1:\n([^\n]+)\n$/.exec(failed instanceof Error ? failed.message : '') ?? []
  if (line === undefined) throw new Error('it did not end with one line', { cause: failed })
  return line
}

const onPlatform = (user: string, database: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: `mysql://${user}@127.0.0.1:${inject('mariadb').port}/${database}`,
  JWT_SECRET: 'a secret of sixteen letters',
})

const stopped: [string, () => NodeJS.ProcessEnv, RegExp][] = [
  [
    'a host that is not there',
    () => ({ HOST: 'no-such-host.invalid' }),
    /^Patchbay cannot listen on port 0 of no-such-host/,
  ],
  [
    'an address of another machine',
    () => ({ HOST: '192.0.2.1' }),
    /^Patchbay cannot listen on port 0 of 192\.0\.2\.1: this machine does not have that address/,
  ],
  [
    'a wrong database password',
    () => onPlatform('walled:a-wrong-password', 'mysql'),
    /^The database of DATABASE_URL cannot be reached: Access denied for user 'walled'/,
  ],
  [
    'an unknown database',
    () => onPlatform('root', 'no_such_database'),
    /cannot be reached: Unknown database 'no_such_database'\.$/,
  ],
  [
    'a database file that is none',
    () => ({ DATA_DIR: createDataDir('none', { 'patchbay.sqlite': 'a-secret-text '.repeat(500) }) }),
    /none\/patchbay\.sqlite is damaged or not a database\./,
  ],
  [
    'secrets that are cut off',
    () => ({ DATA_DIR: createDataDir('cut', { 'secrets.json': '{"jwt":"a-secret-text' }) }),
    /cut\/secrets\.json is damaged\./,
  ],
  [
    'a data folder that is a file',
    () => ({ DATA_DIR: join(createDataDir('file', { file: '' }), 'file') }),
    /^The data folder \S+ \(DATA_DIR\) cannot be used: it is a file/,
  ],
  [
    'a data folder below a file',
    () => ({ DATA_DIR: join(createDataDir('below', { file: '' }), 'file/data') }),
    /cannot be used: it is a file or is below a file\. Set another folder\.$/,
  ],
  [
    'a data folder that cannot be made',
    () => ({ DATA_DIR: '/sys/patchbay' }),
    /^The data folder \/sys\/patchbay \(DATA_DIR\) cannot be used: /,
  ],
  [
    'a data folder below /proc',
    () => ({ DATA_DIR: '/proc/patchbay/data' }),
    /^The data folder \/proc\/patchbay\/data \(DATA_DIR\) cannot be used: its parent folder is missing, or accepts no/,
  ],
  [
    'a data folder that is a broken link',
    () => ({ DATA_DIR: createLink('broken', 'missing') }),
    /cannot be used: it is a file, or a link to a folder that does not exist\. Set another folder\.$/,
  ],
  [
    'a data folder that is a link to itself',
    () => ({ DATA_DIR: createLink('loop', 'loop') }),
    /cannot be used: it is a symbolic link to itself\./,
  ],
  [
    'a folder in the place of the database',
    () => ({ DATA_DIR: join(createDataDir('occupied/patchbay.sqlite'), '..') }),
    /^\S+\/patchbay\.sqlite cannot be opened: unable to open database file\. Check that it is a file/,
  ],
  [
    'a folder in the place of the secrets',
    () => ({ DATA_DIR: join(createDataDir('secret/secrets.json'), '..') }),
    /cannot be used: a folder in it has the name of a file of Patchbay\./,
  ],
  [
    'a folder in the place of the lock',
    () => ({ DATA_DIR: join(createDataDir('locked/server.lock'), '..') }),
    /^\S+\/server\.lock cannot be opened: unable to open database file\./,
  ],
  [
    'a database user who may not create tables',
    () => onPlatform('walled:the%20right%20one', 'start_test'),
    /^The user of DATABASE_URL lacks a privilege: CREATE command denied to user \S+ Grant it, and try again\.$/,
  ],
  ['half of the credentials of writers', () => ({ INTAKE_USERNAME: 'writer' }), /must be set together/],
]

describe('is stopped by', () => {
  let root: mysql.Connection
  beforeAll(async () => {
    root = await mysql.createConnection({ host: '127.0.0.1', port: inject('mariadb').port, user: 'root' })
    await root.query("CREATE USER IF NOT EXISTS 'walled'@'%' IDENTIFIED BY 'the right one'")
    await root.query('CREATE DATABASE start_test')
    await root.query("GRANT SELECT, INSERT ON start_test.* TO 'walled'@'%'")
  })
  afterAll(async () => {
    await root.query('DROP DATABASE start_test')
    await root.end()
  })

  test.each(stopped)('%s', async (_what, settings, text) => {
    const line = await getStartError(settings())
    expect(line).toMatch(text)
    expect(line).not.toMatch(/a-secret-text|a-wrong-password/)
  })
})

describe('is stopped by a disk that', () => {
  const disks = [
    ['is full', 'size=1200k', '', /^The disk of \S+ is full\. Free space, and try again\.$/],
    ['is read-only', 'ro', '', /cannot be used: its disk is read-only\. Mount it writable, or set another folder\.$/],
    [
      'is read-only and lacks the folder',
      'ro',
      'a/b',
      /cannot be used: its disk is read-only\. Mount it writable, or set another folder\.$/,
    ],
  ] as const

  test.for(disks)('%s', async ([_what, options, path, text], { skip }) => {
    const disk = mountTmpfs(options) ?? skip('nothing may be mounted here')
    try {
      expect(await getStartError({ DATA_DIR: join(disk.folder, path) })).toMatch(text)
    } finally {
      disk.remove()
    }
  })

  test('allows only small files', async () => {
    const command = ['--fsize=100000:100000', process.execPath, ...builtServer]
    const DATA_DIR = createDataDir('small')
    expect(await getStartError({ DATA_DIR }, command, 'prlimit')).toMatch(
      /^\S+\/patchbay\.sqlite cannot be read or written: disk I\/O error\. Check the disk, its free space, and limits/,
    )
  })
})

test('a second server on the data folder of a running one is stopped, and the first one continues', async () => {
  const DATA_DIR = join(folder, 'twice')
  const first = await startServer({ DATA_DIR })
  const refusal = `Another server of Patchbay uses the data folder ${DATA_DIR} (DATA_DIR). Stop it, or set another folder.`
  try {
    expect(await getStartError({ DATA_DIR })).toBe(refusal)
    const credentials = { username: 'admin', password: first.firstPassword }
    expect(await callApi(first, '', 'POST', '/login', credentials)).toMatchObject({ status: 200 })
  } finally {
    await first.kill()
  }
  // The operating system releases the lock of a killed process.
  await (await startServer({ DATA_DIR })).stop()
})

test('a restart during the shutdown waits until the other server has ended', async () => {
  const DATA_DIR = join(folder, 'restarted')
  const first = await startServer({ DATA_DIR, SHUTDOWN_DELAY_SECONDS: '2' })
  const order: string[] = []
  const firstEnd = first.stop().then(() => order.push('stopped'))
  const second = await startServer({ DATA_DIR })
  order.push('started')
  await firstEnd
  expect(order).toEqual(['stopped', 'started'])
  await second.stop()
})

test('a port that is in use: the first password is created and printed only once the server listens', async () => {
  const DATA_DIR = join(folder, 'taken')
  const line = await getStartError({ DATA_DIR, PORT: String(getPort(taken)) })
  expect(line).toBe(
    `Patchbay cannot listen on port ${getPort(taken)} of 127.0.0.1: another program uses that port. Set another one with PORT.`,
  )
  const server = await startServer({ DATA_DIR })
  try {
    const credentials = { username: 'admin', password: server.firstPassword }
    expect(await callApi(server, '', 'POST', '/login', credentials)).toMatchObject({ status: 200 })
  } finally {
    await server.stop()
  }
})

const openToOthers = (path: string): string[] =>
  [path, ...readdirSync(path).map((name) => join(path, name))].filter((each) => (statSync(each).mode & 0o077) !== 0)

test('the data folder and its files are accessible to their owner only, including those of earlier versions', async () => {
  const DATA_DIR = join(folder, 'rights')
  const first = await startServer({ DATA_DIR })
  expect(readdirSync(DATA_DIR).toSorted()).toEqual([
    'patchbay.sqlite',
    'patchbay.sqlite-shm',
    'patchbay.sqlite-wal',
    'secrets.json',
    'server.lock',
  ])
  expect(openToOthers(DATA_DIR)).toEqual([])
  // The write-ahead log remains after a kill.
  await first.kill()
  const secrets = readFileSync(join(DATA_DIR, 'secrets.json'), 'utf8')
  for (const name of readdirSync(DATA_DIR)) chmodSync(join(DATA_DIR, name), 0o644)
  chmodSync(DATA_DIR, 0o755)
  const second = await startServer({ DATA_DIR })
  expect(openToOthers(DATA_DIR)).toEqual([])
  expect(second.output()).not.toContain('other users of this machine')
  await second.stop()
  expect(readFileSync(join(DATA_DIR, 'secrets.json'), 'utf8')).toBe(secrets)
})

test('a world-writable data folder is not changed but causes a warning', async () => {
  const DATA_DIR = createDataDir('everybody')
  chmodSync(DATA_DIR, 0o1777)
  const server = await startServer({ DATA_DIR })
  expect(openToOthers(DATA_DIR)).toEqual([DATA_DIR])
  expect(server.output()).toContain(`"path":"${DATA_DIR}","msg":"other users of this machine can access a file`)
  await server.stop()
})

describe('the version of Node.js', () => {
  const warning =
    /"version":"24\.21\.0","safe":"[^"]+ or later","msg":"this version of Node\.js has known security holes/
  /** Makes the program see another version. */
  const asVersion = (version: string): NodeJS.ProcessEnv => {
    const script = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
    return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
  }

  test('is named in a warning if it has security holes, and otherwise not', async () => {
    const unsafe = await startServer(asVersion('24.21.0'))
    expect(unsafe.output()).toMatch(warning)
    await unsafe.stop()
    const safe = await startServer(asVersion('24.22.1'))
    expect(safe.output()).not.toContain('Node.js')
    await safe.stop()
  })

  test('is rejected if it is too old', async () => {
    expect(await getStartError(asVersion('22.23.4'))).toMatch(
      /^Patchbay needs Node .*26\.12\.1 or later, and this is 22\.23\.4\.$/,
    )
  })
})

describe('patchbay reset-password', () => {
  const program = join(dirname(fileURLToPath(import.meta.url)), '../dist/main.mjs')
  const engines = {
    sqlite: () => Promise.resolve(sqliteStore()),
    mariadb: async () => mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase()),
  }

  test.each(Object.entries(engines))('sets a password while the server is running (%s)', async (_engine, makeStore) => {
    const store = await makeStore()
    const server = await startServer(store.settings)
    try {
      const target = await enter(server)
      const env = { PATH: process.env['PATH'], DATA_DIR: server.dataDir, ...store.settings }
      const output = execFileSync(process.execPath, [program, 'reset-password', '--name', 'ADMIN'], {
        env,
        encoding: 'utf8',
      })
      const [, password = ''] = /^\n {2}admin signs in with the password (\S+)\n/.exec(output) ?? []
      expect(await callApi(target, target.session, 'GET', '/Users/me')).toMatchObject({ status: 401 })
      const signedIn = await callApi(target, '', 'POST', '/login', { username: 'admin', password })
      expect(signedIn).toMatchObject({ status: 200, body: { force_change: true } })
      const unknown = () =>
        execFileSync(process.execPath, [program, 'reset-password', '--name', 'nobody'], { env, stdio: 'pipe' })
      expect(unknown).toThrow(/There is no user nobody\.\n$/)
    } finally {
      await server.stop()
      store.remove()
    }
  })
})
