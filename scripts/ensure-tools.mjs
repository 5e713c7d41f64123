// Finds, and where it can installs, the programs the tests need beside Node: Chromium, MariaDB, Redis, InfluxDB, SIPp and
// TShark.
import { execFile, spawn } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { runOnPinnedNode } from './ensure-node.mjs'

const usualFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/snap/bin']
const mariaDbFolders = [
  '/usr/libexec',
  '/usr/local/libexec',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/usr/local/opt/mariadb/bin',
]
const homebrewFolders = ['/opt/homebrew/bin']
const redisFolders = ['/opt/homebrew/bin', '/opt/homebrew/opt/redis/bin', '/usr/local/opt/redis/bin']
const influxFolders = ['/opt/homebrew/opt/influxdb@1/bin', '/usr/local/opt/influxdb@1/bin']
/** Chromium without its windows, a program of its own: the same pages and the same tests in a quarter less time. */
const headlessShell = 'chromium-headless-shell'
const macApplications = ['Chromium', 'Google Chrome', 'Google Chrome for Testing']

/**
 * The absolute path of a Chromium or Chrome, or undefined. Throws when CHROMIUM_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findChromium() {
  const candidates = [
    ...onPath([headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
    ...macBrowsers(),
    ...playwrightBrowsers(),
  ]
  // Ubuntu's chromium-browser is a script that only says to install a snap: ask each who it is.
  return fromEnvironment('CHROMIUM_PATH') ?? firstThatSays(/chrom/i, candidates)
}

/**
 * The absolute path of mariadbd, or undefined. Throws when MARIADBD_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findMariaDb() {
  // A mysqld may be Oracle's, whose data directory is made another way.
  return fromEnvironment('MARIADBD_PATH') ?? firstThatSays(/MariaDB/, onPath(['mariadbd', 'mysqld'], mariaDbFolders))
}

/**
 * The absolute path of the script that makes a data directory for that mariadbd, or undefined.
 * @param {string} mariadbd
 * @returns {string | undefined}
 */
export function findMariaDbInstall(mariadbd) {
  const base = dirname(dirname(mariadbd))
  const beside = [dirname(mariadbd), join(base, 'bin'), join(base, 'scripts')]
  const names = ['mariadb-install-db', 'mysql_install_db']
  return [...inFolders(beside, names), ...onPath(names, mariaDbFolders)].find(isExecutable)
}

/**
 * The absolute path of redis-server, or undefined. Throws when REDIS_SERVER_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findRedis() {
  return fromEnvironment('REDIS_SERVER_PATH') ?? firstThatSays(/Redis server/, onPath(['redis-server'], redisFolders))
}

/**
 * The absolute path of influxd, of InfluxDB 1.x, or undefined. Throws when INFLUXD_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findInfluxDb() {
  const candidates = onPath(['influxd'], influxFolders)
  return fromEnvironment('INFLUXD_PATH') ?? firstThatSays(/InfluxDB v1\./, candidates, 'version')
}

/**
 * The absolute path of sipp, or undefined. Throws when SIPP_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findSipp() {
  return fromEnvironment('SIPP_PATH') ?? firstThatSays(/SIPp/, onPath(['sipp'], homebrewFolders), '-v')
}

/**
 * The absolute path of tshark, or undefined. Throws when TSHARK_PATH names none.
 * @returns {Promise<string | undefined>}
 */
export async function findTshark() {
  return fromEnvironment('TSHARK_PATH') ?? firstThatSays(/TShark/, onPath(['tshark'], homebrewFolders))
}

/**
 * The absolute path of a Chromium, installed on the way if need be; the quickest where Debian packages it, or any other.
 * @returns {Promise<string>}
 */
export async function ensureChromium() {
  const isChosen = Boolean(process.env.CHROMIUM_PATH) || onPath([headlessShell]).some(isExecutable)
  if (!isChosen && systemIds()[0] === 'debian' && canInstallPackages()) await installPackage('Chromium', headlessShell)
  return ensure('Chromium', findChromium, 'chromium', 'npx playwright install chromium', 'CHROMIUM_PATH')
}

/**
 * The absolute path of mariadbd, installed on the way if need be.
 * @returns {Promise<string>}
 */
export async function ensureMariaDb() {
  return ensure('MariaDB', findMariaDb, 'mariadb-server', 'brew install mariadb', 'MARIADBD_PATH')
}

/**
 * The absolute path of redis-server, installed on the way if need be.
 * @returns {Promise<string>}
 */
export async function ensureRedis() {
  return ensure('Redis', findRedis, 'redis-server', 'brew install redis', 'REDIS_SERVER_PATH')
}

/**
 * The absolute path of influxd, installed on the way if need be.
 * @returns {Promise<string>}
 */
export async function ensureInfluxDb() {
  return ensure('InfluxDB 1.x', findInfluxDb, 'influxdb', 'brew install influxdb@1', 'INFLUXD_PATH')
}

/**
 * The absolute path of sipp, installed on the way if need be.
 * @returns {Promise<string>}
 */
export async function ensureSipp() {
  return ensure('SIPp', findSipp, 'sip-tester', 'brew install sipp', 'SIPP_PATH')
}

/**
 * The absolute path of tshark, installed on the way if need be.
 * @returns {Promise<string>}
 */
export async function ensureTshark() {
  return ensure('TShark', findTshark, 'tshark', 'brew install wireshark', 'TSHARK_PATH')
}

async function ensure(name, find, debianPackage, elsewhere, variable) {
  const found = await find()
  if (found) return found
  if (canInstallPackages()) await installPackage(name, debianPackage)
  const installed = await find()
  if (installed) return installed
  throw new Error(
    `${name} is needed for the tests and was not found. Install it with one of\n` +
      `  apt-get install ${debianPackage}    (Debian, as root)\n` +
      `  ${elsewhere}\n` +
      `or set ${variable} to the path of the program.`,
  )
}

function fromEnvironment(variable) {
  const path = process.env[variable]
  if (!path) return undefined
  if (isAbsolute(path) && isExecutable(path)) return path
  throw new Error(`${variable} is ${path}, which is not the absolute path of a program that can be run.`)
}

function onPath(names, furtherFolders = []) {
  const path = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute)
  return inFolders([...path, ...usualFolders, ...furtherFolders], names)
}

/** Every name in every folder, the first name first wherever it is. */
function inFolders(folders, names) {
  return names.flatMap((name) => folders.map((folder) => join(folder, name)))
}

function macBrowsers() {
  if (process.platform !== 'darwin') return []
  const folders = ['/Applications', join(homedir(), 'Applications')]
  return macApplications.flatMap((name) => folders.map((folder) => insideApplication(folder, name)))
}

function insideApplication(folder, name) {
  return join(folder, `${name}.app`, 'Contents', 'MacOS', name)
}

/** What `npx playwright install chromium` leaves, the newest first. */
function playwrightBrowsers() {
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH ?? playwrightCache()
  const revisions = list(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  return revisions.flatMap((revision) =>
    list(join(cache, revision)).flatMap((build) => {
      const folder = join(cache, revision, build)
      return [join(folder, 'chrome'), ...macApplications.map((name) => insideApplication(folder, name))]
    }),
  )
}

function playwrightCache() {
  return process.platform === 'darwin'
    ? join(homedir(), 'Library/Caches/ms-playwright')
    : join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ms-playwright')
}

function list(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

async function firstThatSays(pattern, candidates, how = '--version') {
  for (const path of new Set(candidates)) {
    if (isExecutable(path) && pattern.test(await versionOf(path, how))) return path
  }
  return undefined
}

/** What the program prints of its version; empty when it cannot be run. */
function versionOf(path, how) {
  return new Promise((resolve) => {
    execFile(path, [how], { timeout: 20_000 }, (error, stdout) => {
      // SIPp ends with 99 when it has told its version.
      const wasRun = !error || typeof error.code === 'number'
      resolve(wasRun ? stdout : '')
    })
  })
}

function canInstallPackages() {
  return process.getuid?.() === 0 && /debian|ubuntu/.test(systemIds().join()) && onPath(['apt-get']).some(isExecutable)
}

/** What the system calls itself, and then what it is like; empty where it says neither. */
function systemIds() {
  try {
    const said = readFileSync('/etc/os-release', 'utf8')
    return ['ID', 'ID_LIKE'].flatMap((name) =>
      (new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(said)?.[1] ?? '').split(' '),
    )
  } catch {
    return []
  }
}

async function installPackage(name, debianPackage) {
  console.log(`Installing ${name}…`)
  await aptGet('update')
  // Another process of ours may be installing, too.
  await aptGet('install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', debianPackage)
}

/** Output is held back and shown only when it fails; whether it worked, the next look tells. */
function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const child = spawn('apt-get', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(console.error(`apt-get could not be run: ${error.message}`)))
    child.on('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output))
      resolve()
    })
  })
}

await runOnPinnedNode(import.meta.url, async () => {
  console.log(`Chromium  ${await ensureChromium()}`)
  console.log(`MariaDB   ${await ensureMariaDb()}`)
  console.log(`Redis     ${await ensureRedis()}`)
  console.log(`InfluxDB  ${await ensureInfluxDb()}`)
  console.log(`SIPp      ${await ensureSipp()}`)
  console.log(`TShark    ${await ensureTshark()}`)
})
