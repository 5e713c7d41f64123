// Installs and builds if something has changed since the last time.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { npmCommand } from './ensure-node.mjs'
import { productFolders, productPackages } from './product-packages.mjs'
import { readSourceCommit } from './source-commit.mjs'

export const server = 'server/dist/main.mjs'
const installStamp = 'node_modules/.patchbay-installed'
const buildStamp = 'server/dist/.built'
const commitFile = 'server/dist/commit.json'
const built = [server, 'console/dist/index.html']
const sources = [
  'package-lock.json',
  ...productFolders,
  'server/vite.config.ts',
  'console/index.html',
  'console/public',
  'console/skeleton',
  'console/vite.config.ts',
  'scripts/release/bundled-packages.mjs',
]

/** npm flags for a complete installation, and for the packages that are required for building and running. */
const parts = {
  all: ['--include=dev'],
  running: ['--omit=dev', ...productPackages.map((name) => `--workspace=${name}`)],
}

/** Returns the identity of an installation: the lock file and the machine, because of native modules. */
export function installHash(root) {
  const { platform, arch } = process
  return sha256([readFileSync(join(root, 'package-lock.json')), `${platform} ${arch}`])
}

/** Returns the identity of the sources. Uses sizes and times instead of contents, because this runs at every start. */
export function sourceHash(root) {
  const lines = sources
    .flatMap((path) => listFiles(root, path))
    .map((path) => {
      const { mtimeMs, size } = statSync(join(root, path))
      return `${path} ${size} ${mtimeMs}\n`
    })
  return sha256(lines)
}

/** @param {'all' | 'running'} part */
export function needsInstall(root, part) {
  const [hash, installed] = (readStamp(root, installStamp) ?? '').split(' ')
  return hash !== installHash(root) || (installed !== 'all' && installed !== part)
}

export function needsBuild(root) {
  if (built.some((path) => !existsSync(join(root, path)))) return true
  return readStamp(root, buildStamp) !== sourceHash(root)
}

/**
 * Installs the packages of the lock file. Adds the missing ones if `npm start` has installed those for running, and
 * replaces all of them otherwise.
 *
 * @param {'all' | 'running'} part
 */
export async function installIfNeeded(root, part, install = runNpm) {
  if (!needsInstall(root, part)) return false
  const hash = installHash(root)
  const isPartial = readStamp(root, installStamp) === `${hash} running`
  rmSync(join(root, installStamp), { force: true })
  await telling('Installing dependencies', () =>
    install(root, isPartial ? ['install', '--no-save', ...parts[part]] : ['ci', ...parts[part]]),
  )
  writeStamp(root, installStamp, `${hash} ${part}`)
  return true
}

export async function buildIfNeeded(root, build = viteBuild) {
  const hasBuilt = await buildChanges(root, build)
  // A commit can change without the sources.
  writeCommit(root)
  return hasBuilt
}

async function buildChanges(root, build) {
  if (!needsBuild(root)) return false
  // Computed before the build, so that a file saved during the build is built next time.
  const hash = sourceHash(root)
  rmSync(join(root, buildStamp), { force: true })
  await telling('Building the console and the server', () => build(root))
  const missing = built.filter((path) => !existsSync(join(root, path)))
  if (missing.length > 0) throw new Error(`The build ended well but left no ${missing.join(', no ')}.`)
  writeStamp(root, buildStamp, hash)
  return true
}

/** Installs and builds a checkout for its programs if something has changed. */
export async function installAndBuild(root, part) {
  await installIfNeeded(root, part)
  await buildIfNeeded(root)
}

/** Writes the commit of the sources beside the built server (`server/src/lib/build-info.ts`). */
function writeCommit(root) {
  const { commit, modified } = readSourceCommit(root)
  const text = JSON.stringify({ commit, modified })
  if (readStamp(root, commitFile) !== text) writeStamp(root, commitFile, text)
}

/** Prints a line to stderr that counts the seconds on a terminal, or once elsewhere. Stdout is for results. */
async function telling(what, work) {
  const { stderr } = process
  const started = performance.now()
  const seconds = () => ((performance.now() - started) / 1000).toFixed(0)
  const line = () => stderr.write(`\r${what}… ${seconds()} s `)
  if (!stderr.isTTY) stderr.write(`${what}… `)
  const timer = stderr.isTTY ? (line(), setInterval(line, 1000)) : undefined
  let how = 'failed'
  try {
    await work()
    how = 'done'
  } finally {
    clearInterval(timer)
    stderr.write(stderr.isTTY ? `\r${what}… ${how} after ${seconds()} s\n` : `${how} after ${seconds()} s\n`)
  }
}

function runNpm(root, args) {
  const [command, ...first] = npmCommand()
  // No package needs its install script, because native modules are prebuilt.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  return runAttached(root, command, [...first, ...args, ...flags])
}

/** Builds the console and the server concurrently, because each build uses one core. */
async function viteBuild(root) {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const folders = ['console', 'server'].map((name) => join(root, name))
  await Promise.all(folders.map((folder) => runAttached(folder, process.execPath, [vite, 'build'])))
}

/** Runs a command and prints its output only if it fails. */
function runAttached(cwd, command, args) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${command} could not be run: ${error.message}`)))
    child.on('close', (code, signal) => {
      if (code === 0) return resolve()
      process.stderr.write(`\n${Buffer.concat(output).toString()}`)
      reject(
        new Error(`${[command, ...args].join(' ')} failed (${signal ?? `exit code ${code}`}); its output is above.`),
      )
    })
  })
}

function sha256(chunks) {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
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

function writeStamp(root, path, text) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
