// The Node that everything here runs on: the one that was called, or where that is too old the pinned one of
// runtime.json, fetched once into .node. Plain JavaScript without dependencies, for any Node from 18 on.
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

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)))

const read = (file) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'))
const { version: pinned, integrity } = read('scripts/node-version.json')
const oldest = Number(/^>=(\d+)$/.exec(read('package.json').engines.node)[1])

export const isNewEnough = (version) => Number(version.split('.')[0]) >= oldest

/** Whether this file is the program, rather than imported by one. */
export const isProgram = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)

/**
 * Runs `main` where `url` is the program: here if this Node is new enough, or else all over again on one that is, or
 * that the arguments ask for (`--node current`, `--node 24.1.2`). What it throws is told as a sentence.
 */
export async function runOnPinnedNode(url, main) {
  if (!isProgram(url)) return
  try {
    const { node, others } = nodeAskedFor(process.argv.slice(2))
    const wanted = node ?? (isNewEnough(process.versions.node) ? undefined : pinned)
    if (wanted === undefined) await main()
    else await runAgainOn(await provideNode(wanted), others)
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}

/** The version that the arguments name, and the other arguments. */
export function nodeAskedFor(args) {
  const at = args.findIndex((arg) => /^--node(=|$)/.test(arg))
  if (at < 0) return { node: undefined, others: args }
  const joined = args[at].startsWith('--node=')
  const node = joined ? args[at].slice('--node='.length) : args[at + 1]
  if (!node) throw new Error('--node wants a version of Node, as 24.1.2, or "current".')
  return { node, others: [...args.slice(0, at), ...args.slice(at + (joined ? 1 : 2))] }
}

/** The same program on that Node. */
function runAgainOn(node, args) {
  return execReplacing(node, [process.argv[1], ...args], environmentOf(node))
}

/** Whatever asks for `node`, by name or through npm, gets this one. */
function environmentOf(node, env = process.env) {
  return { ...env, PATH: [dirname(node), env.PATH].join(delimiter), NODE: node, npm_node_execpath: node }
}

/**
 * The path of that version, fetched from the npm registry if need be.
 * @param {string} wanted a version, or `current` for the newest release
 */
export async function provideNode(wanted) {
  const packageName = nodePackageName(process)
  if (packageName === undefined)
    throw new Error(
      `Patchbay needs Node ${oldest} or newer, and this is ${process.versions.node}. Install it from ` +
        `https://nodejs.org or your package manager: there is none to fetch for ${process.platform} on ${process.arch}.`,
    )
  const version = wanted === 'current' ? newestOf(packageName) : wanted
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${wanted}" is no version of Node; 24.1.2 is, and "current".`)
  const node = join(repositoryRoot, '.node', version, 'node')
  if (!existsSync(node)) fetchNode(packageName, version, node)
  return node
}

/** The npm package that holds Node for a machine, or undefined. They are linked with glibc. */
export function nodePackageName({ platform, arch, report }) {
  const name = `node-${platform}-${arch}`
  return name in integrity && report.getReport().header.glibcVersionRuntime ? name : undefined
}

function newestOf(packageName) {
  return npm(['view', packageName, 'version'], repositoryRoot).trim()
}

function fetchNode(packageName, version, node) {
  const why = isNewEnough(process.versions.node)
    ? ''
    : `Patchbay runs on Node ${oldest} or newer, and this is ${process.versions.node}: `
  console.log(`${why}fetching Node ${version} into .node, once…`)
  const folder = join(repositoryRoot, '.node')
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(folder, 'fetching-'))
  try {
    writeFileSync(
      join(work, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [packageName]: version } }),
    )
    const lock = lockOf(packageName, version)
    if (lock) writeFileSync(join(work, 'package-lock.json'), JSON.stringify(lock))
    npm([lock ? 'ci' : 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false'], work)
    const fetched = join(work, 'node_modules', packageName, 'bin')
    const answer = execFileSync(join(fetched, 'node'), ['--version'], { encoding: 'utf8' }).trim()
    if (answer !== `v${version}`) throw new Error(`it calls itself ${answer}`)
    // Whole or not at all: another process may be fetching the same, and either will do.
    if (!existsSync(node)) renameSync(fetched, dirname(node))
  } catch (error) {
    if (existsSync(node)) return
    throw new Error(
      `Node ${version} could not be fetched from the npm registry. Try again, or install Node ${oldest} or newer from ` +
        `https://nodejs.org or your package manager.\n${error.stderr || error.message}`,
      { cause: error },
    )
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** npm takes what it fetches only if it is what we pinned. */
function lockOf(packageName, version) {
  if (version !== pinned) return undefined
  return {
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { [packageName]: version } },
      [`node_modules/${packageName}`]: { version, integrity: integrity[packageName] },
    },
  }
}

function npm(args, cwd) {
  const [command, ...first] = npmCommand()
  // The npm that called us says where its package is: not there.
  const env = { ...process.env, npm_config_local_prefix: undefined, npm_config_workspace: undefined }
  return execFileSync(command, [...first, ...args, '--prefix', cwd], { cwd, env, encoding: 'utf8', stdio: 'pipe' })
}

/** The npm that started us, so that a second one on the PATH is never mixed in; on the Node that we run on. */
export function npmCommand(env = process.env) {
  const own = env.npm_execpath
  return own && /npm-cli\.c?js$/.test(own) ? [process.execPath, own] : ['npm']
}

/** Runs a command in our place: it hears the signals sent to us, and we end as it ends. */
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
 * Each signal is passed on once: npm repeats what the terminal already sent, and a program that
 * hears a signal twice stops without finishing. Ctrl-C reaches it from the terminal itself.
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

/** npm passes a SIGTERM to its shell, which on Debian dies of it and leaves us running: watch for that. */
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
