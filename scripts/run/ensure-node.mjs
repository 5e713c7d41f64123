// Provides the Node version for all scripts: the current one if it is safe, or the pinned version of node-version.json.
// The pinned version is downloaded once into .node. Plain JavaScript without dependencies, for Node 18 and later.
import { execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canRunOn, describeNodeRange, isSafeNode } from './node-versions.mjs'

export const repositoryRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const read = (file) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))
const { version: pinned, integrity } = read('scripts/run/node-version.json')
/** The versions that Patchbay runs on and that have no known security holes. */
const safeRange = read('package.json').engines.node
const safeVersions = describeNodeRange(safeRange)

/** Returns whether this file was started as the program instead of being imported. */
export const isProgram = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)

/**
 * Runs `main` if `url` is the program: with the current Node if it is safe, otherwise in a new process with the pinned
 * one, or with the version in the arguments (`--node current`, `--node 24.22.1`). Prints errors as a single sentence.
 *
 * @param {{ isExact?: boolean }} options whether only the pinned version is good enough, because another one would
 * produce other bytes
 */
export async function runOnPinnedNode(url, main, { isExact = false } = {}) {
  if (!isProgram(url)) return
  try {
    const { node, others } = nodeAskedFor(process.argv.slice(2))
    const mustChange = isExact ? process.versions.node !== pinned : mustReplace(process)
    const requiredVersion = node ?? (mustChange ? pinned : undefined)
    if (requiredVersion === undefined) await main()
    else await runAgainOn(await provideNode(requiredVersion), others)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}

/**
 * Returns whether the pinned version has to run in place of this one. A version with security holes continues on machines
 * for which npm has no other; the server warns about it.
 */
export const mustReplace = (current) => {
  const { node: version } = current.versions
  if (isSafeNode(version, safeRange)) return false
  return nodePackageName(current) !== undefined || !canRunOn(version, safeRange)
}

/** Returns the version in the arguments, and the other arguments. */
export function nodeAskedFor(args) {
  const at = args.findIndex((arg) => /^--node(=|$)/.test(arg))
  if (at < 0) return { node: undefined, others: args }
  const joined = args[at].startsWith('--node=')
  const node = joined ? args[at].slice('--node='.length) : args[at + 1]
  if (!node) throw new Error('--node wants a version of Node, as 24.22.1, or "current".')
  return { node, others: [...args.slice(0, at), ...args.slice(at + (joined ? 1 : 2))] }
}

/** Runs the same program with another Node. */
function runAgainOn(node, args) {
  return execReplacing(node, [process.argv[1], ...args], createEnvironment(node))
}

/** Returns an environment in which `node` and npm use this Node. */
function createEnvironment(node, env = process.env) {
  return { ...env, PATH: [dirname(node), env.PATH].join(delimiter), NODE: node, npm_node_execpath: node }
}

/**
 * Returns the path of a Node version. Downloads it from the npm registry if necessary.
 * @param {string} requestedVersion a version, or `current` for the newest release
 */
export async function provideNode(requestedVersion) {
  const packageName = nodePackageName(process)
  if (packageName === undefined)
    throw new Error(
      `Patchbay needs Node ${safeVersions}, and this is ${process.versions.node}. Install it from ` +
        `https://nodejs.org or your package manager: there is none to fetch for ${process.platform} on ${process.arch}.`,
    )
  const version = requestedVersion === 'current' ? getNewestVersion(packageName) : requestedVersion
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`"${requestedVersion}" is no version of Node; 24.22.1 is, and "current".`)
  const node = join(repositoryRoot, '.node', version, 'node')
  if (!existsSync(node)) fetchNode(packageName, version, node)
  return node
}

/** Returns the npm package with Node for a machine, or undefined. The packages require glibc. */
export function nodePackageName({ platform, arch, report }) {
  const name = `node-${platform}-${arch}`
  return name in integrity && report.getReport().header.glibcVersionRuntime ? name : undefined
}

function getNewestVersion(packageName) {
  return npm(['view', packageName, 'version'], repositoryRoot).trim()
}

function fetchNode(packageName, version, node) {
  const why = isSafeNode(process.versions.node, safeRange)
    ? ''
    : `Patchbay runs on Node ${safeVersions}, and this is ${process.versions.node}: `
  console.log(`${why}fetching Node ${version} into .node, once…`)
  const folder = join(repositoryRoot, '.node')
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(folder, 'fetching-'))
  try {
    writeFileSync(
      join(work, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [packageName]: version } }),
    )
    const lock = createLockFile(packageName, version)
    if (lock) writeFileSync(join(work, 'package-lock.json'), JSON.stringify(lock))
    npm([lock ? 'ci' : 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false'], work)
    const fetched = join(work, 'node_modules', packageName, 'bin')
    const answer = execFileSync(join(fetched, 'node'), ['--version'], { encoding: 'utf8' }).trim()
    if (answer !== `v${version}`) throw new Error(`it calls itself ${answer}`)
    // The rename is atomic. Another process can download the same version concurrently, and either result is valid.
    if (!existsSync(node)) renameSync(fetched, dirname(node))
  } catch (error) {
    if (existsSync(node)) return
    throw new Error(describeFailure(version, String(error.stderr || error.message)), { cause: error })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Returns what a user can do if Node could not be provided.
 * @param {string} output what npm or the program itself printed
 */
export function describeFailure(version, output) {
  if (/loading shared libraries: libatomic\.so/.test(output))
    return (
      `Node ${version} needs libatomic, which this machine lacks. Install it: its package is libatomic1 on Debian and ` +
      `Ubuntu, and libatomic on Fedora and RHEL.\n${output}`
    )
  return (
    `Node ${version} could not be fetched from the npm registry. Try again, or install Node ${safeVersions} from ` +
    `https://nodejs.org or your package manager.\n${output}`
  )
}

/** The lock file makes npm verify the checksum of the pinned version. */
function createLockFile(packageName, version) {
  if (version !== pinned) return undefined
  return {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { [packageName]: version } },
      [`node_modules/${packageName}`]: { version, integrity: integrity[packageName] },
    },
  }
}

/** Runs npm with a folder that is no workspace. Returns its output. */
export function npm(args, cwd) {
  const [command, ...first] = npmCommand()
  // The calling npm sets the folder of its own package, which must not be used here.
  const env = { ...process.env, npm_config_local_prefix: undefined, npm_config_workspace: undefined }
  return execFileSync(command, [...first, ...args, '--prefix', cwd], { cwd, env, encoding: 'utf8', stdio: 'pipe' })
}

/**
 * Returns the npm that started this process, so that it is not mixed with another one on the PATH. It runs on the
 * current Node.
 */
export function npmCommand(env = process.env) {
  const own = env.npm_execpath
  return own && /npm-cli\.c?js$/.test(own) ? [process.execPath, own] : ['npm']
}

/** Runs a command in place of this process: forwards signals to it, and exits with its exit code. */
export function execReplacing(command, args, env, cwd) {
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' })
  forwardSignals(child)
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Error(`${command} could not be run: ${error.message}`)))
    child.on('exit', (code, signal) => {
      process.exitCode = signal ? 128 + constants.signals[signal] : code
      resolve()
    })
  })
}

/**
 * Forwards each signal once. npm repeats signals that the terminal has already sent, and a program that receives a
 * signal twice stops without cleaning up. The program receives Ctrl-C from the terminal itself.
 */
function forwardSignals(child) {
  const passed = new Set()
  const pass = (signal) => {
    if (passed.has(signal)) return
    passed.add(signal)
    child.kill(signal)
  }
  const onTerm = () => pass('SIGTERM')
  const onInt = () => process.stdin.isTTY || pass('SIGINT')
  process.on('SIGTERM', onTerm)
  process.on('SIGINT', onInt)
  const forget = whenOrphaned(onTerm)
  child.on('exit', () => {
    process.off('SIGTERM', onTerm)
    process.off('SIGINT', onInt)
    forget()
  })
}

/**
 * npm sends SIGTERM to its shell. On Debian, the shell exits and leaves this process running, so this function detects
 * the loss of the parent process.
 */
export function whenOrphaned(stop) {
  if (!process.env.npm_lifecycle_event) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 200)
  timer.unref()
  return () => clearInterval(timer)
}
