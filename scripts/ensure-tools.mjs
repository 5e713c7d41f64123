// Finds the programs that the tests need in addition to Node, and installs them if possible: Chromium, MariaDB, Redis,
// InfluxDB, SIPp, TShark, nginx, HAProxy, and Prometheus.
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
/** Chromium without a window system, a separate program. The tests run in three quarters of the time. */
const headlessShell = 'chromium-headless-shell'
const macApplications = ['Chromium', 'Google Chrome', 'Google Chrome for Testing']

/**
 * Returns the absolute path of Chromium or Chrome, or undefined. Throws if CHROMIUM_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findChromium() {
  const candidates = [
    ...onPath([headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']),
    ...macBrowsers(),
    ...playwrightBrowsers(),
  ]
  // Ubuntu's chromium-browser is a script that only asks to install a snap, so each candidate must print its version.
  return fromEnvironment('CHROMIUM_PATH') ?? firstThatSays(/chrom/i, candidates)
}

/**
 * Returns the absolute path of mariadbd, or undefined. Throws if MARIADBD_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findMariaDb() {
  // A mysqld can be Oracle's, which initializes its data directory differently.
  return fromEnvironment('MARIADBD_PATH') ?? firstThatSays(/MariaDB/, onPath(['mariadbd', 'mysqld'], mariaDbFolders))
}

/**
 * Returns the absolute path of the script that initializes a data directory for this mariadbd, or undefined.
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
 * Returns the absolute path of redis-server, or undefined. Throws if REDIS_SERVER_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findRedis() {
  return fromEnvironment('REDIS_SERVER_PATH') ?? firstThatSays(/Redis server/, onPath(['redis-server'], redisFolders))
}

/**
 * Returns the absolute path of influxd (InfluxDB 1.x), or undefined. Throws if INFLUXD_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findInfluxDb() {
  const candidates = onPath(['influxd'], influxFolders)
  return fromEnvironment('INFLUXD_PATH') ?? firstThatSays(/InfluxDB v1\./, candidates, 'version')
}

/**
 * Returns the absolute path of sipp, or undefined. Throws if SIPP_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findSipp() {
  return fromEnvironment('SIPP_PATH') ?? firstThatSays(/SIPp/, onPath(['sipp'], homebrewFolders), '-v')
}

/**
 * Returns the absolute path of tshark, or undefined. Throws if TSHARK_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findTshark() {
  return fromEnvironment('TSHARK_PATH') ?? firstThatSays(/TShark/, onPath(['tshark'], homebrewFolders))
}

/**
 * Returns the absolute path of nginx, or undefined. Throws if NGINX_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findNginx() {
  return fromEnvironment('NGINX_PATH') ?? firstThatSays(/nginx/, onPath(['nginx'], homebrewFolders), '-v')
}

/**
 * Returns the absolute path of haproxy, or undefined. Throws if HAPROXY_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findHaproxy() {
  return fromEnvironment('HAPROXY_PATH') ?? firstThatSays(/HAProxy version/, onPath(['haproxy'], homebrewFolders), '-v')
}

/**
 * Returns the absolute path of the SQLite command line, or undefined. Throws if SQLITE3_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findSqlite() {
  return fromEnvironment('SQLITE3_PATH') ?? firstThatSays(/^3\./, onPath(['sqlite3'], homebrewFolders))
}

/**
 * Returns the absolute path of prometheus, or undefined. Throws if PROMETHEUS_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findPrometheus() {
  return (
    fromEnvironment('PROMETHEUS_PATH') ?? firstThatSays(/prometheus, version/, onPath(['prometheus'], homebrewFolders))
  )
}

/**
 * Returns the absolute path of promtool, which checks metrics and rules, or undefined. Throws if PROMTOOL_PATH is not
 * executable.
 * @returns {Promise<string | undefined>}
 */
export async function findPromtool() {
  return fromEnvironment('PROMTOOL_PATH') ?? firstThatSays(/promtool, version/, onPath(['promtool'], homebrewFolders))
}

/**
 * Returns the absolute path of buildah, which builds container images, or undefined. Throws if BUILDAH_PATH is not
 * executable.
 * @returns {Promise<string | undefined>}
 */
export async function findBuildah() {
  return fromEnvironment('BUILDAH_PATH') ?? firstThatSays(/buildah version/, onPath(['buildah']))
}

/**
 * Returns the absolute path of mmdebstrap, which unpacks a Debian system, or undefined. Throws if MMDEBSTRAP_PATH is not
 * executable.
 * @returns {Promise<string | undefined>}
 */
export async function findMmdebstrap() {
  return fromEnvironment('MMDEBSTRAP_PATH') ?? firstThatSays(/mmdebstrap/, onPath(['mmdebstrap']))
}

/**
 * Returns the absolute path of systemd-analyze, or undefined. Throws if SYSTEMD_ANALYZE_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findSystemdAnalyze() {
  return fromEnvironment('SYSTEMD_ANALYZE_PATH') ?? firstThatSays(/^systemd \d/, onPath(['systemd-analyze']))
}

/**
 * Returns the absolute path of kamailio, or undefined. Throws if KAMAILIO_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findKamailio() {
  return fromEnvironment('KAMAILIO_PATH') ?? firstThatSays(/kamailio/, onPath(['kamailio']), '-v')
}

/**
 * Returns the absolute path of rtpengine, or undefined. Throws if RTPENGINE_PATH is not executable.
 * @returns {Promise<string | undefined>}
 */
export async function findRtpengine() {
  return fromEnvironment('RTPENGINE_PATH') ?? firstThatSays(/Version/, onPath(['rtpengine']))
}

/**
 * Returns the absolute path of Chromium, and installs it if necessary. Prefers the headless shell, which is faster, on
 * Debian.
 * @returns {Promise<string>}
 */
export async function ensureChromium() {
  const isChosen = Boolean(process.env.CHROMIUM_PATH) || onPath([headlessShell]).some(isExecutable)
  if (!isChosen && systemIds()[0] === 'debian' && canInstallPackages()) await installPackage('Chromium', headlessShell)
  return ensure('Chromium', findChromium, 'chromium', 'npx playwright install chromium', 'CHROMIUM_PATH')
}

/**
 * Returns the absolute path of mariadbd, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureMariaDb() {
  return ensure('MariaDB', findMariaDb, 'mariadb-server', 'brew install mariadb', 'MARIADBD_PATH')
}

/**
 * Returns the absolute path of redis-server, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureRedis() {
  return ensure('Redis', findRedis, 'redis-server', 'brew install redis', 'REDIS_SERVER_PATH')
}

/**
 * Returns the absolute path of influxd, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureInfluxDb() {
  return ensure('InfluxDB 1.x', findInfluxDb, 'influxdb', 'brew install influxdb@1', 'INFLUXD_PATH')
}

/**
 * Returns the absolute path of sipp, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureSipp() {
  return ensure('SIPp', findSipp, 'sip-tester', 'brew install sipp', 'SIPP_PATH')
}

/**
 * Returns the absolute path of tshark, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureTshark() {
  return ensure('TShark', findTshark, 'tshark', 'brew install wireshark', 'TSHARK_PATH')
}

/**
 * Returns the absolute path of nginx, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureNginx() {
  return ensure('nginx', findNginx, 'nginx-light', 'brew install nginx', 'NGINX_PATH')
}

/**
 * Returns the absolute path of haproxy, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureHaproxy() {
  return ensure('HAProxy', findHaproxy, 'haproxy', 'brew install haproxy', 'HAPROXY_PATH')
}

/**
 * Returns the absolute path of the SQLite command line, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureSqlite() {
  return ensure('the SQLite command line', findSqlite, 'sqlite3', 'brew install sqlite', 'SQLITE3_PATH')
}

/**
 * Returns the absolute path of prometheus, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensurePrometheus() {
  return ensure('Prometheus', findPrometheus, 'prometheus', 'brew install prometheus', 'PROMETHEUS_PATH')
}

/**
 * Returns the absolute path of promtool, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensurePromtool() {
  return ensure('promtool', findPromtool, 'prometheus', 'brew install prometheus', 'PROMTOOL_PATH')
}

/**
 * Returns the absolute path of buildah, and installs it if necessary. Throws except on Linux as root, because a
 * container needs namespaces.
 * @returns {Promise<string>}
 */
export async function ensureBuildah() {
  if (process.getuid?.() !== 0) throw new Error('The tests of the container image run as root on Linux only.')
  return ensure('Buildah', findBuildah, 'buildah', 'dnf install buildah', 'BUILDAH_PATH')
}

/**
 * Returns the absolute path of mmdebstrap, and installs it if necessary.
 * @returns {Promise<string>}
 */
export async function ensureMmdebstrap() {
  return ensure('mmdebstrap', findMmdebstrap, 'mmdebstrap', 'dnf install mmdebstrap', 'MMDEBSTRAP_PATH')
}

/**
 * Returns the absolute path of systemd-analyze, and installs it if necessary. Installing systemd does not start it.
 * @returns {Promise<string>}
 */
export async function ensureSystemdAnalyze() {
  return ensure('systemd-analyze', findSystemdAnalyze, 'systemd', 'dnf install systemd', 'SYSTEMD_ANALYZE_PATH')
}

/**
 * Returns the absolute path of kamailio, and installs it if necessary. Throws except on Linux as root, because the tests
 * create a network namespace for it.
 * @returns {Promise<string>}
 */
export async function ensureKamailio() {
  requireNamespaces()
  return ensure('Kamailio', findKamailio, 'kamailio', 'dnf install kamailio', 'KAMAILIO_PATH')
}

/**
 * Returns the absolute path of rtpengine, and installs it if necessary. Throws like `ensureKamailio`.
 * @returns {Promise<string>}
 */
export async function ensureRtpengine() {
  requireNamespaces()
  return ensure('rtpengine', findRtpengine, 'rtpengine-daemon', 'dnf install rtpengine', 'RTPENGINE_PATH')
}

function requireNamespaces() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Error('The tests with real capture agents run as root on Linux only.')
}

async function ensure(name, find, debianPackage, elsewhere, variable) {
  const existing = await find()
  if (existing) return existing
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

/** Combines names and folders. All folders are searched for the first name before the second name. */
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

/** Returns the browsers that `npx playwright install chromium` has installed, newest first. */
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
    if (isExecutable(path) && pattern.test(await readVersion(path, how))) return path
  }
  return undefined
}

/** Returns the version output of a program. Empty if the program cannot be run. */
function readVersion(path, how) {
  return new Promise((resolve) => {
    execFile(path, [how], { timeout: 20_000 }, (error, stdout, stderr) => {
      // SIPp exits with 99 after printing its version.
      const wasRun = !error || typeof error.code === 'number'
      // nginx prints its version as an error.
      resolve(wasRun ? stdout || stderr : '')
    })
  })
}

function canInstallPackages() {
  return process.getuid?.() === 0 && /debian|ubuntu/.test(systemIds().join()) && onPath(['apt-get']).some(isExecutable)
}

/** Returns ID and ID_LIKE of the operating system. Empty if /etc/os-release is missing. */
function systemIds() {
  try {
    const osRelease = readFileSync('/etc/os-release', 'utf8')
    return ['ID', 'ID_LIKE'].flatMap((name) =>
      (new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(osRelease)?.[1] ?? '').split(' '),
    )
  } catch {
    return []
  }
}

async function installPackage(name, debianPackage) {
  console.log(`Installing ${name}…`)
  await aptGet('update')
  // Another process of this repository can be installing packages, too.
  await aptGet('install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', debianPackage)
}

/** Prints the output only if the command fails. The caller checks for success by searching for the program again. */
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
  console.log(`nginx     ${await ensureNginx()}`)
  console.log(`HAProxy   ${await ensureHaproxy()}`)
  console.log(`Prometheus ${await ensurePrometheus()}, ${await ensurePromtool()}`)
})
