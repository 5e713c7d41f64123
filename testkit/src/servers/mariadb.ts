import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { constants, existsSync, rmSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Connection, createConnection } from 'mysql2/promise'
import { ensureProgram, findMariaDbInstall } from '../../../scripts/run/programs.mjs'
import { freePort } from './ports.ts'

/** Describes how other processes connect to the server. */
export interface MariaDbAddress {
  port: number
  socket: string
  /** Whether the server is MySQL. */
  isMysql: boolean
}

export interface MariaDbClient {
  /** Returns the `mysql://` URL of a database, whether or not the database exists. */
  urlFor(database: string): string
  /** Creates an empty database with the given or a random name, and returns its URL. */
  createDatabase(name?: string): Promise<string>
  dropDatabase(name: string): Promise<void>
}

export interface MariaDb extends MariaDbAddress, MariaDbClient {
  readonly pid: number
  /** Stops the server and removes its data. */
  stop(): Promise<void>
  /** Sends SIGKILL, which clients experience as a crash. The data is kept. */
  kill(): Promise<void>
  /**
   * Stops the server if it is running, and starts it again with the same address and data.
   *
   * @param more replaces the additional options of the first start
   */
  restart(more?: readonly string[]): Promise<void>
}

type Server = ChildProcessByStdio<null, null, Readable>

interface Program {
  /** Path of `mariadbd`, or of `mysqld` of MySQL. */
  path: string
  version: string
  isMysql: boolean
}

interface Folder {
  path: string
  remove(): void
}

interface Instance {
  program: Program
  folder: Folder
  address: MariaDbAddress
  /** Settings in addition to those of all servers. */
  more: readonly string[]
  /** The account of the operating system that runs the server, if it is not the account of the tests. */
  account: string | undefined
}

const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
const readyWithinMs = 120_000

const isRoot = process.getuid?.() === 0

/** MariaDB refuses to run as root without this option, and its own user could not read a folder of root. */
const toUserOption = (account = 'root'): string[] => (isRoot ? [`--user=${account}`] : [])

// The redo log is created with the data directory. Another size would rebuild it at every start.
const redoLogSize = '--innodb-log-file-size=16M'

/** An existing production server can have any SQL mode and time zone, so sessions must not depend on them. */
const sqlModes = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PIPES_AS_CONCAT,IGNORE_SPACE,HIGH_NOT_PRECEDENCE'

const mariaDbSettings = [redoLogSize, `--sql-mode=${sqlModes},EMPTY_STRING_IS_NULL`]

/** The prefix "loose" tolerates versions without an option. */
const mysqlSettings = [
  '--loose-innodb-redo-log-capacity=32M',
  `--sql-mode=${sqlModes}`,
  '--loose-mysqlx=OFF',
  '--disable-log-bin',
  '--secure-file-priv=NULL',
  // Tests read the columns of MariaDB's EXPLAIN.
  '--loose-explain-format=TRADITIONAL',
]

const settings = [
  // Commits reach the operating system but not the disk. They survive kill() and cost no fsync.
  '--innodb-flush-log-at-trx-commit=2',
  // The prefix "loose" tolerates newer versions, which plan to remove the option.
  '--loose-innodb-flush-method=nosync',
  '--innodb-buffer-pool-size=128M',
  '--innodb-buffer-pool-load-at-startup=OFF',
  '--innodb-buffer-pool-dump-at-shutdown=OFF',
  '--performance-schema=OFF',
  '--skip-name-resolve',
  // Every test has its own database and connection pool.
  '--max-connections=500',
  '--character-set-server=utf8mb4',
  // Set explicitly, because the default collation differs between versions of MariaDB.
  '--collation-server=utf8mb4_unicode_ci',
  '--default-time-zone=+05:30',
]

/**
 * Starts a dedicated MariaDB server on 127.0.0.1 with an empty data directory, user root, and no password. It is a MySQL
 * server if MARIADBD_PATH is the `mysqld` of MySQL.
 *
 * @param more additional options
 * @param account account of the operating system that runs the server if the tests run as root. Default: root
 */
export async function startMariaDb(more: readonly string[] = [], account?: string): Promise<MariaDb> {
  const program = await findProgram()
  const folder = await createFolder()
  try {
    await copyTemplate(program, dataFolder(folder))
    if (isRoot && account !== undefined) await promisify(execFile)('chown', ['-R', account, folder.path])
    const { instance, child } = await launchOnFreePort({ program, folder, more, account })
    return control(instance, child)
  } catch (error) {
    folder.remove()
    throw error
  }
}

/** Creates and drops databases on a running server, from any process. */
export function mariaDbClient({ port, socket }: Pick<MariaDbAddress, 'port' | 'socket'>): MariaDbClient {
  const urlFor = (database: string) => `mysql://root@127.0.0.1:${port}/${database}`
  return {
    urlFor,
    async createDatabase(name = `test_${randomBytes(6).toString('hex')}`) {
      await execute(socket, `create database ${quoted(name)}`)
      return urlFor(name)
    },
    async dropDatabase(name) {
      await execute(socket, `drop database if exists ${quoted(name)}`)
    },
  }
}

function control(firstInstance: Instance, first: Server): MariaDb {
  let instance = firstInstance
  let child = first
  return {
    ...instance.address,
    ...mariaDbClient(instance.address),
    get pid() {
      return child.pid ?? 0
    },
    async stop() {
      // The data is removed afterwards, so a clean shutdown is unnecessary.
      await end(child, 'SIGKILL')
      instance.folder.remove()
    },
    kill: () => end(child, 'SIGKILL'),
    async restart(more = instance.more) {
      await end(child, 'SIGTERM')
      instance = { ...instance, more }
      child = await launch(instance)
    },
  }
}

async function findProgram(): Promise<Program> {
  const path = await ensureProgram('mariadb')
  const { stdout } = await promisify(execFile)(path, ['--version'])
  const version = /Ver (\S+)/.exec(stdout)?.[1]
  if (!version) throw new Error(`${path} --version names no version: ${stdout}`)
  return { path, version, isMysql: !version.includes('MariaDB') }
}

/** Creates a folder that is removed at the exit of this process at the latest. */
async function createFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-mariadb-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.once('exit', remove)
  return { path, remove }
}

function dataFolder(folder: Folder): string {
  return join(folder.path, 'data')
}

/** Initialization takes longer than a start and always has the same result, so its result is cached and copied. */
async function copyTemplate(program: Program, destination: string): Promise<void> {
  const template = join(cacheFolder, `patchbay-mariadb-template-${program.version.replaceAll(/[^\w.-]/g, '_')}`)
  if (!existsSync(template)) await createTemplate(program, template)
  await cp(template, destination, { recursive: true, mode: constants.COPYFILE_FICLONE })
}

async function createTemplate(program: Program, template: string): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  const scratch = await mkdtemp(`${template}-`)
  try {
    await initialize(program, scratch)
    await rename(join(scratch, 'data'), template)
  } catch (error) {
    // Another process can have created the same template concurrently.
    if (!existsSync(template)) throw error
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** MySQL creates root for connections to the socket only. */
const mysqlRoot = [
  "CREATE USER root@'127.0.0.1' IDENTIFIED BY ''",
  "GRANT ALL PRIVILEGES ON *.* TO root@'127.0.0.1' WITH GRANT OPTION",
]

async function initializeMysql({ path }: Program, folder: string): Promise<void> {
  const statements = join(folder, 'root.sql')
  await writeFile(statements, mysqlRoot.map((statement) => `${statement};\n`).join(''))
  const options = ['--no-defaults', '--initialize-insecure', `--init-file=${statements}`, ...mysqlSettings]
  await promisify(execFile)(path, [...options, `--datadir=${join(folder, 'data')}`, ...toUserOption()])
}

async function initialize(program: Program, folder: string): Promise<void> {
  if (program.isMysql) return initializeMysql(program, folder)
  const installer = findMariaDbInstall(program.path)
  if (!installer) throw new Error(`There is no mariadb-install-db beside ${program.path} or on the PATH.`)
  await promisify(execFile)(installer, [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    // At startup, a server deletes tables in its temporary folder. In a shared folder, this would include tables of
    // other servers.
    `--tmpdir=${folder}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--skip-name-resolve',
    redoLogSize,
    ...toUserOption(),
  ])
}

/** Another process can take the free port before the server listens on it. In that case, another port is tried. */
async function launchOnFreePort(settled: Omit<Instance, 'address'>): Promise<{ instance: Instance; child: Server }> {
  for (let attempt = 1; ; attempt++) {
    const { folder, program } = settled
    const address = { port: await freePort(), socket: join(folder.path, 'socket'), isMysql: program.isMysql }
    const instance = { ...settled, address }
    try {
      return { instance, child: await launch(instance) }
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('Address already in use')
      if (!taken || attempt === 5) throw error
    }
  }
}

async function launch({ program, folder, address, more, account }: Instance): Promise<Server> {
  const child = spawn(
    program.path,
    [
      '--no-defaults',
      `--datadir=${dataFolder(folder)}`,
      `--tmpdir=${folder.path}`,
      `--pid-file=${join(folder.path, 'pid')}`,
      `--socket=${address.socket}`,
      '--bind-address=127.0.0.1',
      `--port=${address.port}`,
      ...settings,
      ...(program.isMysql ? mysqlSettings : mariaDbSettings),
      ...toUserOption(account),
      ...more,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  killWithUs(child)
  const log = collectLog(child)
  try {
    await ready(child, address.socket)
    return child
  } catch (error) {
    await end(child, 'SIGKILL')
    throw new Error(`MariaDB did not start: ${getMessage(error)}\n${await log()}`, { cause: error })
  }
}

function killWithUs(child: Server): void {
  const kill = () => child.kill('SIGKILL')
  // Runs before the folder is removed. Otherwise the server would write to it again.
  process.prependListener('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Returns the end of the server's log after the server has exited. */
function collectLog({ stderr }: Server): () => Promise<string> {
  let log = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-8_000)
  })
  const whole = finished(stderr).catch(() => undefined)
  return async () => {
    await whole
    return log
  }
}

async function ready(child: Server, socket: string): Promise<void> {
  const deadline = Date.now() + readyWithinMs
  let spawnError: Error | undefined
  child.once('error', (error) => {
    spawnError = error
  })
  for (;;) {
    // Uses the socket, because another server could have the port.
    const error = await execute(socket, 'select 1').catch((reason: unknown) => reason)
    if (error === undefined) return
    if (spawnError) throw spawnError
    if (hasEnded(child)) throw new Error(`it ended with ${child.signalCode ?? child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`not ready within ${readyWithinMs} ms: ${getMessage(error)}`)
    await delay(10)
  }
}

async function execute(socketPath: string, statement: string): Promise<void> {
  let connection: Connection | undefined
  try {
    connection = await createConnection({ socketPath, user: 'root' })
    await connection.query(statement)
  } finally {
    await connection?.end()
  }
}

function quoted(name: string): string {
  if (!/^\w{1,64}$/.test(name)) throw new Error(`"${name}" is no name for a test database: letters, digits and _ only.`)
  return `\`${name}\``
}

function hasEnded(child: Server): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

async function end(child: Server, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  const closed = once(child, 'close')
  child.kill(signal)
  await closed
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
