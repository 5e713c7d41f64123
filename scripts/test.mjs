// `npm test`: runs every gate that a change has to pass, in order, up to the first failure.
//   npm test -- users accounts     runs only the tests with one of these words in their file name
//   npm test -- --only unit,e2e    runs only these gates
//   npm test -- --from build       runs this gate and all later ones
//   npm test -- --node current     uses the newest release of Node, or the given version
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  ensureChromium,
  ensureInfluxDb,
  ensureMariaDb,
  ensureNginx,
  ensurePrometheus,
  ensurePromtool,
  ensureRedis,
  ensureSipp,
  ensureSqlite,
  ensureTshark,
  findChromium,
  findInfluxDb,
  findMariaDb,
  findNginx,
  findPrometheus,
  findPromtool,
  findRedis,
  findSipp,
  findSqlite,
  findTshark,
} from './ensure-tools.mjs'
import { failuresFile, readFailures } from './failure-summary.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'
import { npmCommand, runOnPinnedNode, repositoryRoot, whenOrphaned } from './ensure-node.mjs'
import { listTestFiles, selectFiles, toolFor } from './select-test-files.mjs'

/** Steps run one after another. The gates of a step run concurrently and print their output when they end. */
export const steps = [
  ['install'],
  ['providers'],
  ['types', 'lint', 'regexps', 'format', 'dead-code'],
  ['unit'],
  ['build'],
  ['size'],
  ['built'],
  ['e2e'],
]

const inProcess = { install, providers }
const needProviders = new Set(['unit', 'built', 'e2e'])
const running = new Set()

/** Parses the command line: either words that select test files, or gates. */
export function readArguments(args) {
  const options = { only: { type: 'string' }, from: { type: 'string' } }
  const { values, positionals: names } = parseArgs({ args, options, allowPositionals: true })
  if (names.length > 0 && Object.keys(values).length > 0)
    throw new Error(`"${names.join(' ')}" chooses test files, --only and --from choose gates: not both.`)
  return { names, ...values }
}

/** Returns the selected steps. Throws a readable message for unknown gates. */
export function selectSteps({ only, from }) {
  const all = steps.flat()
  const selected = only === undefined ? all : only.split(',')
  const unknown = [...selected, ...(from === undefined ? [] : [from])].find((gate) => !all.includes(gate))
  if (unknown !== undefined) throw new Error(`There is no gate "${unknown}". The gates are: ${all.join(', ')}.`)
  const first = from === undefined ? 0 : all.indexOf(from)
  const chosen = (gate) => selected.includes(gate) && all.indexOf(gate) >= first
  return steps.map((step) => step.filter(chosen)).filter((step) => step.length > 0)
}

/** Returns the tracked files that differ from the last commit or the index, as a map from name to content. */
export function changedFiles(root) {
  const names = git(root, 'ls-files', '-z', '--modified').split('\0').filter(Boolean)
  return new Map(names.map((name) => [name, contentHash(join(root, name))]))
}

/** Returns the files that changed between two snapshots, except for the lock file. */
export function newlyChanged(before, after) {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => name !== 'package-lock.json' && before.get(name) !== after.get(name))
}

function git(root, ...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    // Outside a checkout or without Git, there are no tracked files.
    return ''
  }
}

function contentHash(file) {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'removed'
}

async function install() {
  const before = changedFiles(repositoryRoot)
  await installIfNeeded(repositoryRoot, 'all')
  if (!process.env.CI) enableCommitHook()
  const changed = newlyChanged(before, changedFiles(repositoryRoot))
  if (changed.length > 0)
    throw new Error(`Installing changed files that are under version control:\n  ${changed.join('\n  ')}`)
}

/** Makes Git check commit messages (`check-commits.mjs`). Without Git, or outside a repository, nothing happens. */
function enableCommitHook() {
  spawnSync('git', ['config', 'core.hooksPath', '.githooks'], { cwd: repositoryRoot, stdio: 'ignore' })
}

async function providers() {
  process.env.CHROMIUM_PATH = await ensureChromium()
  process.env.MARIADBD_PATH = await ensureMariaDb()
  process.env.REDIS_SERVER_PATH = await ensureRedis()
  process.env.INFLUXD_PATH = await ensureInfluxDb()
  process.env.SIPP_PATH = await ensureSipp()
  process.env.SQLITE3_PATH = await ensureSqlite()
  process.env.TSHARK_PATH = await ensureTshark()
  process.env.NGINX_PATH = await ensureNginx()
  process.env.PROMETHEUS_PATH = await ensurePrometheus()
  process.env.PROMTOOL_PATH = await ensurePromtool()
}

/** For a selection without the providers gate: uses installed programs only. */
async function passProviders() {
  const paths = {
    CHROMIUM_PATH: await findChromium(),
    MARIADBD_PATH: await findMariaDb(),
    REDIS_SERVER_PATH: await findRedis(),
    INFLUXD_PATH: await findInfluxDb(),
    SIPP_PATH: await findSipp(),
    SQLITE3_PATH: await findSqlite(),
    TSHARK_PATH: await findTshark(),
    NGINX_PATH: await findNginx(),
    PROMETHEUS_PATH: await findPrometheus(),
    PROMTOOL_PATH: await findPromtool(),
  }
  Object.assign(process.env, definedOnly(paths))
}

/** Removes undefined values, because an environment variable set to undefined has the value "undefined". */
function definedOnly(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
}

/** Returns the command that runs an npm script. */
function scriptCommand(name) {
  const [command, ...first] = npmCommand()
  return { name: `npm run ${name}`, command, args: [...first, 'run', '--silent', name] }
}

/** Returns the command that runs an installed tool. */
function toolCommand([tool, ...args]) {
  return { name: tool, command: process.execPath, args: ['scripts/run.mjs', tool, ...args] }
}

/** Runs a command. If `isBuffered` is true, returns its output and failure as text. */
function runCommand({ name, command, args }, isBuffered = false) {
  const stdio = isBuffered ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
  // Uses a separate process group, so that the command can be stopped together with its child processes.
  const child = spawn(command, args, { cwd: repositoryRoot, stdio, detached: true })
  if (child.pid) running.add(child)
  const output = []
  child.stdout?.on('data', (chunk) => output.push(chunk))
  child.stderr?.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ failure: `${name} could not be run: ${error.message}` }))
    child.on('close', (code, signal) => {
      running.delete(child)
      const failure = code === 0 ? undefined : `${name} ended with ${signal ?? `exit code ${code}`}`
      resolve({ failure, output: Buffer.concat(output).toString() })
    })
  })
}

async function runInProcess(gate) {
  try {
    await inProcess[gate]()
    return {}
  } catch (error) {
    return { failure: error.message }
  }
}

/** Runs a gate below its title and prints the result. */
async function timed(title, gate, work, isBuffered = false) {
  const started = performance.now()
  if (!isBuffered) console.log(`\n── ${title}`)
  const { failure, output } = await work()
  const seconds = (performance.now() - started) / 1000
  if (isBuffered) console.log(`\n── ${title}`)
  if (output) process.stdout.write(output)
  if (failure) console.error(failure)
  console.log(`── ${gate} ${failure ? 'FAILED' : 'passed'} in ${seconds.toFixed(1)} s`)
  return { gate, passed: !failure, seconds }
}

const runGate = (gate, isBuffered) =>
  timed(
    gate,
    gate,
    () => (gate in inProcess ? runInProcess(gate) : runCommand(scriptCommand(gate), isBuffered)),
    isBuffered,
  )

async function runSteps(selected) {
  const results = []
  for (const step of selected) {
    if (step.some((gate) => needProviders.has(gate))) await passProviders()
    results.push(...(await Promise.all(step.map((gate) => runGate(gate, step.length > 1)))))
    if (results.some(({ passed }) => !passed)) break
  }
  return results
}

/** Returns the final table with the result of each selected gate. */
export function summary(selected, results) {
  return selected.flat().map((gate) => {
    const result = results.find((one) => one.gate === gate)
    if (!result) return `  ${gate.padEnd(10)} not run`
    return `  ${gate.padEnd(10)} ${result.passed ? 'passed ' : 'FAILED '} ${result.seconds.toFixed(1).padStart(7)} s`
  })
}

function stop(signal) {
  if (running.size === 0) process.exit(1)
  for (const child of running) process.kill(-child.pid, signal)
}

/** Runs the selected files, one kind after another, up to the first failure. */
async function runFiles(names) {
  const selected = selectFiles(names, listTestFiles(repositoryRoot))
  await passProviders()
  await installIfNeeded(repositoryRoot, 'all')
  if (selected.some(({ wantsBuild }) => wantsBuild)) await buildIfNeeded(repositoryRoot)
  const results = []
  for (const { kind, files } of selected) {
    const run = () => runCommand(toolCommand(toolFor({ kind, files })))
    results.push(await timed(`${kind}: ${files.join(' ')}`, kind, run))
    if (!results.at(-1).passed) break
  }
  return { selected: selected.map(({ kind }) => [kind]), results, what: `The tests of ${names.join(', ')}` }
}

async function runGates(options) {
  const selected = selectSteps(options)
  const results = await runSteps(selected)
  const isAll = selected.flat().length === steps.flat().length
  return { selected, results, what: isAll ? 'All gates' : 'The chosen gates' }
}

async function main() {
  const { names, ...options } = readArguments(process.argv.slice(2))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  whenOrphaned(() => stop('SIGTERM'))
  const started = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-failures-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env[failuresFile] = join(folder, 'failures.txt')
  const { selected, results, what } = names.length > 0 ? await runFiles(names) : await runGates(options)
  const failed = results.filter(({ passed }) => !passed).map(({ gate }) => gate)
  const total = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`\n${summary(selected, results).join('\n')}\n${readFailures(process.env[failuresFile])}`)
  const outcome = failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${what} passed`
  console.log(`${outcome} (Node ${process.versions.node}, ${total} s)`)
  if (failed.length > 0) process.exitCode = 1
}

await runOnPinnedNode(import.meta.url, main)
