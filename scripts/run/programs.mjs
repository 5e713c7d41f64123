// The programs that the tests need in addition to Node: finds them, and installs them if possible. As a program, it does
// so for the names in its arguments, and prints the paths.
import { execFile, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { runOnPinnedNode } from './ensure-node.mjs'

const usualFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/snap/bin', '/opt/homebrew/bin']
const mariaDbFolders = [
  '/usr/libexec',
  '/usr/local/libexec',
  '/usr/local/mysql/bin',
  '/usr/local/mariadb/bin',
  '/opt/homebrew/opt/mariadb/bin',
  '/usr/local/opt/mariadb/bin',
]
/** Chromium without a window system, a separate program. The tests run in three quarters of the time. */
const headlessShell = 'chromium-headless-shell'
const macApplications = ['Chromium', 'Google Chrome', 'Google Chrome for Testing']

/**
 * A program that tests run.
 *
 * - `variable`: the environment variable with its path
 * - `names`, `folders`: how it is called, and where it is besides the usual folders
 * - `says`: what it prints with `ask`, which is `--version` if absent. Programs of another kind have the same names.
 * - `debian`, `elsewhere`: the package of Debian, and the command that installs it on other systems
 * - `module`: a file that the program loads, which is in a package of its own, below the folders of libraries
 * - `onlyAsRoot`: what the tests need root and Linux for
 *
 * @typedef {object} Program
 */

/** @type {Record<string, Program>} */
export const programs = {
  chromium: {
    name: 'Chromium',
    variable: 'CHROMIUM_PATH',
    names: [headlessShell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    // Ubuntu's chromium-browser is a script that only asks to install a snap.
    says: /chrom/i,
    further: () => [...macBrowsers(), ...playwrightBrowsers()],
    debian: 'chromium',
    elsewhere: 'npx playwright install chromium',
  },
  mariadb: {
    name: 'MariaDB',
    variable: 'MARIADBD_PATH',
    names: ['mariadbd', 'mysqld'],
    folders: mariaDbFolders,
    // A mysqld can be Oracle's, which initializes its data directory differently.
    says: /MariaDB/,
    debian: 'mariadb-server',
    elsewhere: 'brew install mariadb',
  },
  redis: {
    name: 'Redis',
    variable: 'REDIS_SERVER_PATH',
    names: ['redis-server'],
    folders: ['/opt/homebrew/opt/redis/bin', '/usr/local/opt/redis/bin'],
    says: /Redis server/,
    debian: 'redis-server',
    elsewhere: 'brew install redis',
  },
  influxdb: {
    name: 'InfluxDB 1.x',
    variable: 'INFLUXD_PATH',
    names: ['influxd'],
    folders: ['/opt/homebrew/opt/influxdb@1/bin', '/usr/local/opt/influxdb@1/bin'],
    ask: 'version',
    says: /InfluxDB v1\./,
    debian: 'influxdb',
    elsewhere: 'brew install influxdb@1',
  },
  sipp: {
    name: 'SIPp',
    variable: 'SIPP_PATH',
    names: ['sipp'],
    ask: '-v',
    says: /SIPp/,
    debian: 'sip-tester',
    elsewhere: 'brew install sipp',
  },
  tshark: {
    name: 'TShark',
    variable: 'TSHARK_PATH',
    names: ['tshark'],
    says: /TShark/,
    debian: 'tshark',
    elsewhere: 'brew install wireshark',
  },
  nginx: {
    name: 'nginx',
    variable: 'NGINX_PATH',
    names: ['nginx'],
    ask: '-v',
    says: /nginx/,
    debian: 'nginx-light',
    elsewhere: 'brew install nginx',
  },
  haproxy: {
    name: 'HAProxy',
    variable: 'HAPROXY_PATH',
    names: ['haproxy'],
    ask: '-v',
    says: /HAProxy version/,
    debian: 'haproxy',
    elsewhere: 'brew install haproxy',
  },
  sqlite: {
    name: 'the SQLite command line',
    variable: 'SQLITE3_PATH',
    names: ['sqlite3'],
    says: /^3\./,
    debian: 'sqlite3',
    elsewhere: 'brew install sqlite',
  },
  prometheus: {
    name: 'Prometheus',
    variable: 'PROMETHEUS_PATH',
    names: ['prometheus'],
    says: /prometheus, version/,
    debian: 'prometheus',
    elsewhere: 'brew install prometheus',
  },
  promtool: {
    name: 'promtool',
    variable: 'PROMTOOL_PATH',
    names: ['promtool'],
    says: /promtool, version/,
    debian: 'prometheus',
    elsewhere: 'brew install prometheus',
  },
  age: {
    name: 'age',
    variable: 'AGE_PATH',
    names: ['age'],
    says: /^\(?v?\d|devel|unknown/,
    debian: 'age',
    elsewhere: 'brew install age',
  },
  buildah: {
    name: 'Buildah',
    variable: 'BUILDAH_PATH',
    names: ['buildah'],
    says: /buildah version/,
    debian: 'buildah',
    elsewhere: 'dnf install buildah',
    onlyAsRoot: 'containers need namespaces',
  },
  mmdebstrap: {
    name: 'mmdebstrap',
    variable: 'MMDEBSTRAP_PATH',
    names: ['mmdebstrap'],
    says: /mmdebstrap/,
    debian: 'mmdebstrap',
    elsewhere: 'dnf install mmdebstrap',
  },
  systemd: {
    name: 'systemd-analyze',
    variable: 'SYSTEMD_ANALYZE_PATH',
    names: ['systemd-analyze'],
    says: /^systemd \d/,
    // Installing systemd does not start it.
    debian: 'systemd',
    elsewhere: 'dnf install systemd',
  },
  kamailio: {
    name: 'Kamailio',
    variable: 'KAMAILIO_PATH',
    names: ['kamailio'],
    ask: '-v',
    says: /kamailio/,
    module: 'kamailio/modules/websocket.so',
    debian: 'kamailio kamailio-websocket-modules',
    elsewhere: 'dnf install kamailio kamailio-websocket',
  },
  rtpengine: {
    name: 'rtpengine',
    variable: 'RTPENGINE_PATH',
    names: ['rtpengine'],
    says: /Version/,
    debian: 'rtpengine-daemon',
    elsewhere: 'dnf install rtpengine',
  },
}

/**
 * Returns the absolute path of a program, or undefined. Throws if its variable names a file that is not executable.
 * @param {string} key of `programs`
 * @returns {Promise<string | undefined>}
 */
export async function findProgram(key) {
  const { variable, names, folders = [], further = () => [], says, ask, module } = programs[key]
  if (module && !hasModule(module)) return undefined
  return fromEnvironment(variable) ?? firstThatSays(says, [...onPath(names, folders), ...further()], ask)
}

/**
 * Returns the absolute path of a program, and installs it if necessary.
 * @param {string} key of `programs`
 * @returns {Promise<string>}
 * @throws an error that says how to install it
 */
export async function ensureProgram(key) {
  const { name, variable, debian, elsewhere, onlyAsRoot } = programs[key]
  if (onlyAsRoot && (process.platform !== 'linux' || process.getuid?.() !== 0))
    throw new Error(`${name} runs on Linux as root only, because ${onlyAsRoot}.`)
  if (key === 'chromium') await preferHeadlessShell()
  const existing = await findProgram(key)
  if (existing) return existing
  if (canInstallPackages()) await installPackage(name, debian)
  const installed = await findProgram(key)
  if (installed) return installed
  throw new Error(
    `${name} is needed for the tests and was not found. Install it with one of\n` +
      `  apt-get install ${debian}    (Debian, as root)\n` +
      `  ${elsewhere}\n` +
      `or set ${variable} to the path of the program.`,
  )
}

/** Installs the headless shell, which is faster than Chromium, where Debian has it. */
async function preferHeadlessShell() {
  const isChosen = Boolean(process.env.CHROMIUM_PATH) || onPath([headlessShell]).some(isExecutable)
  if (!isChosen && systemIds()[0] === 'debian' && canInstallPackages()) await installPackage('Chromium', headlessShell)
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

function hasModule(file) {
  const folders = [
    '/usr/lib',
    '/usr/lib64',
    '/usr/local/lib',
    ...list('/usr/lib').map((name) => join('/usr/lib', name)),
  ]
  return folders.some((folder) => existsSync(join(folder, file)))
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

/** @param {string} packages names, separated by spaces */
async function installPackage(name, packages) {
  const debianPackages = packages.split(' ')
  console.log(`Installing ${name}…`)
  await aptGet('update')
  // Another process of this repository can be installing packages, too.
  await aptGet('install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', ...debianPackages)
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
  for (const key of process.argv.slice(2)) console.log(await ensureProgram(key))
})
