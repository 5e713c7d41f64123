// `npm start`: install and build when something changed since the last time, then run the server.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)))

const oldestNode = [20, 11]
const server = 'server/dist/main.mjs'
const installStamp = 'node_modules/.patchbay-installed'
const buildStamp = 'server/dist/.built'
const built = [server, 'console/dist/index.html']
const sources = [
  'package-lock.json',
  'contract/src',
  'server/src',
  'server/vite.config.ts',
  'console/src',
  'console/index.html',
  'console/public',
  'console/vite.config.ts',
]

/** What to tell someone whose Node is too old, or undefined. */
export function nodeComplaint(version) {
  const [major, minor] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor] = oldestNode
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return undefined
  return `Patchbay needs Node ${oldestNode.join('.')} or newer, and this is ${version}.`
}

/** Names one installation: the lock file, and what its native modules were compiled for. */
export function installHash(root) {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const { versions, platform, arch } = process
  return sha256([lock, `${versions.modules} ${platform} ${arch}`])
}

/** Names one state of the sources, by size and time rather than content: this runs at every start. */
export function sourceHash(root) {
  const lines = sources
    .flatMap((path) => listFiles(root, path))
    .map((path) => {
      const { mtimeMs, size } = statSync(join(root, path))
      return `${path} ${size} ${mtimeMs}\n`
    })
  return sha256(lines)
}

export function needsInstall(root) {
  return readStamp(root, installStamp) !== installHash(root)
}

export function needsBuild(root) {
  if (built.some((path) => !existsSync(join(root, path)))) return true
  return readStamp(root, buildStamp) !== sourceHash(root)
}

export async function installIfNeeded(root, npm = runNpm) {
  if (!needsInstall(root)) return false
  console.log('Installing dependencies (the first time can take a few minutes)…')
  const hash = installHash(root)
  rmSync(join(root, installStamp), { force: true })
  // The build needs the development dependencies, which NODE_ENV=production would leave out.
  await npm(root, ['ci', '--no-audit', '--no-fund', '--include=dev', '--loglevel=error'])
  writeStamp(root, installStamp, hash)
  return true
}

export async function buildIfNeeded(root, npm = runNpm) {
  if (!needsBuild(root)) return false
  console.log('Building the console and the server…')
  // Taken before the build, so that a file saved meanwhile is built next time.
  const hash = sourceHash(root)
  rmSync(join(root, buildStamp), { force: true })
  await npm(root, ['run', '--silent', 'build'])
  const missing = built.filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) throw new Error(`The build ended well but left no ${missing.join(', no ')}.`)
  writeStamp(root, buildStamp, hash)
  return true
}

function sha256(parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

function listFiles(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stats) return []
  if (!stats.isDirectory()) return [path]
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => listFiles(root, `${path}/${name}`))
}

function readStamp(root, path) {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function writeStamp(root, path, hash) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, hash)
}

/** Runs npm with its output held back, and shown only when it fails. */
function runNpm(root, args) {
  const [command, ...first] = npmCommand()
  const child = spawn(command, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`npm could not be run: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code === 0) return resolve()
      process.stderr.write(Buffer.concat(output))
      reject(new Error(`npm ${args.join(' ')} failed (${signal ?? `exit code ${code}`}); its output is above.`))
    })
  })
}

/** The npm that started us, so that a second one on the PATH is never mixed in. */
export function npmCommand(env = process.env) {
  const own = env.npm_execpath
  return own && /npm-cli\.c?js$/.test(own) ? [process.execPath, own] : ['npm']
}

/** How the server is run: what Node is told, and the program. */
export const serverCommand = (root) => ['--max-semi-space-size=4', join(root, server)]

/** glibc keeps memory for each thread that ever asked for some; two such stores are enough for this program. */
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }

function runServer(root, args) {
  const env = { ...serverEnvironment, ...process.env }
  const child = spawn(process.execPath, [...serverCommand(root), ...args], { cwd: root, env, stdio: 'inherit' })
  forwardSignals(child)
  child.on('error', (error) => fail(`The server could not be started: ${error.message}`))
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code))
}

/**
 * Each signal is passed on once: npm repeats what the terminal already sent, and a server that
 * hears a signal twice stops without finishing. Ctrl-C reaches the server from the terminal itself.
 */
function forwardSignals(child) {
  const passed = new Set()
  const pass = (signal) => {
    if (passed.has(signal)) return
    passed.add(signal)
    child.kill(signal)
  }
  process.on('SIGTERM', pass)
  process.on('SIGINT', (signal) => process.stdin.isTTY || pass(signal))
  whenOrphaned(() => pass('SIGTERM'))
}

/** npm passes a SIGTERM to its shell, which on Debian dies of it and leaves us running: watch for that. */
export function whenOrphaned(stop) {
  if (!process.env.npm_lifecycle_event) return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    stop()
  }, 200)
  timer.unref()
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

async function main() {
  const complaint = nodeComplaint(process.versions.node)
  if (complaint) fail(complaint)
  try {
    await installIfNeeded(repositoryRoot)
    await buildIfNeeded(repositoryRoot)
  } catch (error) {
    fail(error.message)
  }
  runServer(repositoryRoot, process.argv.slice(2))
}

/** Whether this file is the program, rather than imported by one. */
export function isProgram(url) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)
}

if (isProgram(import.meta.url)) await main()
