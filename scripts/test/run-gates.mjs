// Runs gates one step after another, and prints their results.
import { spawn } from 'node:child_process'
import { npmCommand, repositoryRoot, whenOrphaned } from '../run/ensure-node.mjs'
import { findProgram, programs } from '../run/programs.mjs'
import { findBlocker, hasTests, testPrograms, toCommand } from './gates.mjs'
import { leftOutFiles, listFilesThatNeed } from './left-out-tests.mjs'

const running = new Set()
let isStopped = false

/** Stops all commands when this process is stopped. Later gates are not run. */
export function stopCommandsOnSignals() {
  const stop = (signal) => {
    isStopped = true
    if (running.size === 0) process.exit(1)
    for (const child of running) process.kill(-child.pid, signal)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  whenOrphaned(() => stop('SIGTERM'))
}

/**
 * Runs the gates of each step. A gate runs unless it needs one that failed.
 *
 * @param {Record<string, () => Promise<{note?: string} | void>>} inProcess gates that are functions instead of commands
 * @param {(gate: string) => object} reportVariables environment variables for the reports of a gate
 * @returns results `{ gate, passed, seconds, note }`. A gate that was not run has no `seconds`, and has passed only if
 *   its programs are missing outside of CI.
 */
export async function runGates(steps, inProcess, reportVariables) {
  const results = []
  for (const step of steps) {
    const available = step.some(hasTests) ? await findPrograms() : { paths: {}, missing: [] }
    const run = (gate) => runGate(gate, { results, available, inProcess, reportVariables, isBuffered: step.length > 1 })
    results.push(...(await Promise.all(step.map(run))))
  }
  return results
}

async function runGate(gate, { results, available, inProcess, reportVariables, isBuffered }) {
  const { gate: name } = gate
  if (isStopped) return { gate: name, passed: false, note: 'because the run was stopped' }
  const blocker = findBlocker(gate, results)
  if (blocker !== undefined) return { gate: name, passed: false, note: `because ${blocker} failed` }
  if (name in inProcess) return timed(gate, isBuffered, () => inProcess[name]())
  if (available.missing.includes(gate.program))
    return { gate: name, passed: !process.env.CI, note: `because ${listNames([gate.program])} is missing` }
  const leftOut = available.missing.length > 0 ? listFilesThatNeed(repositoryRoot, available.missing) : []
  const env = { ...available.paths, ...reportVariables(name), ...gate.env, [leftOutFiles]: leftOut.join() }
  const note =
    leftOut.length > 0
      ? `without the ${leftOut.length} files of tests that need ${listNames(available.missing)}`
      : undefined
  return timed(gate, isBuffered, async () => ({
    note,
    ...(await runCommand(toCommand(gate), env, isBuffered)),
  }))
}

const listNames = (keys) => keys.map((key) => programs[key].name).join(', ')

/** Returns the paths of the installed programs by their variables, and the keys of the missing ones. */
async function findPrograms() {
  const candidates = await Promise.all(testPrograms.map(async (key) => [key, await findProgram(key)]))
  return {
    paths: Object.fromEntries(candidates.flatMap(([key, path]) => (path ? [[programs[key].variable, path]] : []))),
    missing: candidates.flatMap(([key, path]) => (path ? [] : [key])),
  }
}

/** Runs a gate below its title and prints the result. */
async function timed({ gate, title = gate }, isBuffered, work) {
  const started = performance.now()
  if (!isBuffered) console.log(`\n── ${title}`)
  const { failure, output, note } = (await work().catch(({ message }) => ({ failure: message }))) ?? {}
  const seconds = (performance.now() - started) / 1000
  if (isBuffered) console.log(`\n── ${title}`)
  if (output) process.stdout.write(output)
  if (failure) console.error(failure)
  console.log(`── ${gate} ${failure ? 'FAILED' : 'passed'} in ${seconds.toFixed(1)} s`)
  return { gate, passed: !failure, seconds, note }
}

/** Runs a command. If `isBuffered` is true, returns its output and failure as text. */
function runCommand({ tool, script }, variables, isBuffered) {
  const stdio = isBuffered ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
  const [npm, ...npmArgs] = npmCommand()
  const [name, command, args] = tool
    ? [tool[0], process.execPath, ['scripts/run.mjs', ...tool]]
    : [`npm run ${script}`, npm, [...npmArgs, 'run', '--silent', script]]
  // Uses a separate process group, so that the command can be stopped together with its child processes.
  const child = spawn(command, args, {
    cwd: repositoryRoot,
    env: { ...process.env, ...variables },
    stdio,
    detached: true,
  })
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
