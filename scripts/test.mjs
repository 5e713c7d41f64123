// `npm test`: every gate a change has to pass, in order, up to the first that fails.
//   npm test -- users accounts     the tests with one of these words in their file's name, and no other gate
//   npm test -- --only unit,e2e    just these
//   npm test -- --from build       this one and those after it
//   npm test -- --node current     on the newest release of Node, or on a version that is named
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  ensureChromium,
  ensureInfluxDb,
  ensureMariaDb,
  ensureRedis,
  ensureSipp,
  ensureTshark,
  findChromium,
  findInfluxDb,
  findMariaDb,
  findRedis,
  findSipp,
  findTshark,
} from './ensure-tools.mjs'
import { failuresFile, readFailures } from './failure-summary.mjs'
import { buildIfNeeded, installIfNeeded } from './install-and-build.mjs'
import { npmCommand, runOnPinnedNode, repositoryRoot, whenOrphaned } from './ensure-node.mjs'
import { listTestFiles, selectFiles, toolFor } from './select-test-files.mjs'

/** One step is run after the other; the gates within a step run side by side, each holding its output. */
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

/** What the command line asks for: words that choose test files, or else gates. */
export function readArguments(args) {
  const options = { only: { type: 'string' }, from: { type: 'string' } }
  const { values, positionals: words } = parseArgs({ args, options, allowPositionals: true })
  if (words.length > 0 && Object.keys(values).length > 0)
    throw new Error(`"${words.join(' ')}" chooses test files, --only and --from choose gates: not both.`)
  return { words, ...values }
}

/** The steps that are asked for. Throws a message for the one who typed it. */
export function selectSteps({ only, from }) {
  const all = steps.flat()
  const wanted = only === undefined ? all : only.split(',')
  const unknown = [...wanted, ...(from === undefined ? [] : [from])].find((gate) => !all.includes(gate))
  if (unknown !== undefined) throw new Error(`There is no gate "${unknown}". The gates are: ${all.join(', ')}.`)
  const first = from === undefined ? 0 : all.indexOf(from)
  const chosen = (gate) => wanted.includes(gate) && all.indexOf(gate) >= first
  return steps.map((step) => step.filter(chosen)).filter((step) => step.length > 0)
}

/** The tracked files, as name to content, that differ from the last commit's or the index's. */
export function changedFiles(root) {
  const names = git(root, 'ls-files', '-z', '--modified').split('\0').filter(Boolean)
  return new Map(names.map((name) => [name, contentHash(join(root, name))]))
}

/** Which files but the lock file changed between two looks. */
export function newlyChanged(before, after) {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => name !== 'package-lock.json' && before.get(name) !== after.get(name))
}

function git(root, ...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    // Outside a checkout, or without git, nothing is tracked.
    return ''
  }
}

function contentHash(file) {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'removed'
}

async function install() {
  const before = changedFiles(repositoryRoot)
  await installIfNeeded(repositoryRoot, 'all')
  const changed = newlyChanged(before, changedFiles(repositoryRoot))
  if (changed.length > 0)
    throw new Error(`Installing changed files that are under version control:\n  ${changed.join('\n  ')}`)
}

async function providers() {
  process.env.CHROMIUM_PATH = await ensureChromium()
  process.env.MARIADBD_PATH = await ensureMariaDb()
  process.env.REDIS_SERVER_PATH = await ensureRedis()
  process.env.INFLUXD_PATH = await ensureInfluxDb()
  process.env.SIPP_PATH = await ensureSipp()
  process.env.TSHARK_PATH = await ensureTshark()
}

/** For a selection without the providers gate: what is there is used, nothing is installed. */
async function passProviders() {
  const found = {
    CHROMIUM_PATH: await findChromium(),
    MARIADBD_PATH: await findMariaDb(),
    REDIS_SERVER_PATH: await findRedis(),
    INFLUXD_PATH: await findInfluxDb(),
    SIPP_PATH: await findSipp(),
    TSHARK_PATH: await findTshark(),
  }
  Object.assign(process.env, definedOnly(found))
}

/** An environment variable set to undefined would read "undefined". */
function definedOnly(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
}

/** An npm script, as a command to run. */
function scriptCommand(name) {
  const [command, ...first] = npmCommand()
  return { name: `npm run ${name}`, command, args: [...first, 'run', '--silent', name] }
}

/** One of the installed tools, as a command to run. */
function toolCommand([tool, ...args]) {
  return { name: tool, command: process.execPath, args: ['scripts/run.mjs', tool, ...args] }
}

/** Runs a command; held output comes back as text, and so does why it failed. */
function runCommand({ name, command, args }, held = false) {
  const stdio = held ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
  // In a process group of its own, so that it can be stopped together with whatever it started.
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

/** Runs a gate under its title, and tells how it went. */
async function timed(title, gate, work, held = false) {
  const started = performance.now()
  if (!held) console.log(`\n── ${title}`)
  const { failure, output } = await work()
  const seconds = (performance.now() - started) / 1000
  if (held) console.log(`\n── ${title}`)
  if (output) process.stdout.write(output)
  if (failure) console.error(failure)
  console.log(`── ${gate} ${failure ? 'FAILED' : 'passed'} in ${seconds.toFixed(1)} s`)
  return { gate, passed: !failure, seconds }
}

const runGate = (gate, held) =>
  timed(gate, gate, () => (gate in inProcess ? runInProcess(gate) : runCommand(scriptCommand(gate), held)), held)

async function runSteps(selected) {
  const results = []
  for (const step of selected) {
    if (step.some((gate) => needProviders.has(gate))) await passProviders()
    results.push(...(await Promise.all(step.map((gate) => runGate(gate, step.length > 1)))))
    if (results.some(({ passed }) => !passed)) break
  }
  return results
}

/** The table at the end: each gate that was asked for, with how it went. */
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

/** The chosen files, one kind after another, up to the first that fails. */
async function runFiles(words) {
  const selected = selectFiles(words, listTestFiles(repositoryRoot))
  await passProviders()
  await installIfNeeded(repositoryRoot, 'all')
  if (selected.some(({ wantsBuild }) => wantsBuild)) await buildIfNeeded(repositoryRoot)
  const results = []
  for (const { kind, files } of selected) {
    const run = () => runCommand(toolCommand(toolFor({ kind, files })))
    results.push(await timed(`${kind}: ${files.join(' ')}`, kind, run))
    if (!results.at(-1).passed) break
  }
  return { selected: selected.map(({ kind }) => [kind]), results, what: `The tests of ${words.join(', ')}` }
}

async function runGates(options) {
  const selected = selectSteps(options)
  const results = await runSteps(selected)
  const isAll = selected.flat().length === steps.flat().length
  return { selected, results, what: isAll ? 'All gates' : 'The chosen gates' }
}

async function main() {
  const { words, ...options } = readArguments(process.argv.slice(2))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  whenOrphaned(() => stop('SIGTERM'))
  const started = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-failures-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env[failuresFile] = join(folder, 'failures.txt')
  const { selected, results, what } = words.length > 0 ? await runFiles(words) : await runGates(options)
  const failed = results.filter(({ passed }) => !passed).map(({ gate }) => gate)
  const total = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`\n${summary(selected, results).join('\n')}\n${readFailures(process.env[failuresFile])}`)
  const outcome = failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${what} passed`
  console.log(`${outcome} (Node ${process.versions.node}, ${total} s)`)
  if (failed.length > 0) process.exitCode = 1
}

await runOnPinnedNode(import.meta.url, main)
