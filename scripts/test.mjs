// `npm test`: every gate a change has to pass, in order, up to the first that fails.
//   npm test -- --only unit,e2e    just these
//   npm test -- --from build       this one and those after it
//   npm test -- --node current     on the newest release of Node, or on a version that is named
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureChromium, ensureMariaDb, ensureRedis, findChromium, findMariaDb, findRedis } from './provide.mjs'
import { installIfNeeded } from './prepare.mjs'
import { npmCommand, program, repositoryRoot, whenOrphaned } from './runtime.mjs'

/** One step is run after the other; the gates within a step run side by side, each holding its output. */
export const steps = [
  ['install'],
  ['providers'],
  ['types', 'lint', 'format', 'dead-code'],
  ['unit'],
  ['build'],
  ['size'],
  ['built'],
  ['e2e'],
]

const inProcess = { install, providers }
const needProviders = new Set(['unit', 'built', 'e2e'])
const running = new Set()

/** The steps that the command line asks for. Throws a message for the one who typed it. */
export function selectSteps(args) {
  const { only, from } = parseArgs({ args, options: { only: { type: 'string' }, from: { type: 'string' } } }).values
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
}

/** For a selection without the providers gate: what is there is used, nothing is installed. */
async function passProviders() {
  const found = {
    CHROMIUM_PATH: await findChromium(),
    MARIADBD_PATH: await findMariaDb(),
    REDIS_SERVER_PATH: await findRedis(),
  }
  Object.assign(process.env, definedOnly(found))
}

/** An environment variable set to undefined would read "undefined". */
function definedOnly(variables) {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined))
}

/** Runs an npm script; held output comes back as text. Throws when the script fails. */
function runScript(name, held) {
  const [command, ...first] = npmCommand()
  const stdio = held ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
  // In a process group of its own, so that it can be stopped together with whatever it started.
  const child = spawn(command, [...first, 'run', '--silent', name], { cwd: repositoryRoot, stdio, detached: true })
  if (child.pid) running.add(child)
  const output = []
  child.stdout?.on('data', (chunk) => output.push(chunk))
  child.stderr?.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ failure: `npm could not be run: ${error.message}` }))
    child.on('close', (code, signal) => {
      running.delete(child)
      const failure = code === 0 ? undefined : `npm run ${name} ended with ${signal ?? `exit code ${code}`}`
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

async function runGate(gate, held) {
  const started = performance.now()
  if (!held) console.log(`\n── ${gate}`)
  const { failure, output } = gate in inProcess ? await runInProcess(gate) : await runScript(gate, held)
  const seconds = (performance.now() - started) / 1000
  if (held) console.log(`\n── ${gate}`)
  if (output) process.stdout.write(output)
  if (failure) console.error(failure)
  console.log(`── ${gate} ${failure ? 'FAILED' : 'passed'} in ${seconds.toFixed(1)} s`)
  return { gate, passed: !failure, seconds }
}

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

async function main() {
  const selected = selectSteps(process.argv.slice(2))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  whenOrphaned(() => stop('SIGTERM'))
  const started = performance.now()
  const results = await runSteps(selected)
  const failed = results.filter(({ passed }) => !passed).map(({ gate }) => gate)
  const total = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`\n${summary(selected, results).join('\n')}\n`)
  const which = results.length === steps.flat().length ? 'All' : 'The chosen'
  const outcome = failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${which} gates passed`
  console.log(`${outcome} (Node ${process.versions.node}, ${total} s)`)
  if (failed.length > 0) process.exitCode = 1
}

await program(import.meta.url, main)
