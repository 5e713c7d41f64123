// `npm test`: runs every gate of the tier `test`. A gate runs unless it needs one that failed.
//   npm test -- --quick            runs what the current change can break, in three minutes
//   npm test -- users accounts     runs only the tests with one of these words in their file name or folder
//   npm test -- --only rules,e2e   runs only these gates
//   npm test -- --from build       runs this gate and all later ones
//   npm test -- --shard 1/4        runs a quarter of the tests of each gate
//   npm test -- --tier merge       runs the gates of another tier, or of several: test,merge,release
//   npm test -- --node current     uses the newest release of Node, or the given version
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repositoryRoot, runOnPinnedNode } from './run/ensure-node.mjs'
import { buildIfNeeded, installIfNeeded } from './run/install-and-build.mjs'
import { ensureProgram } from './run/programs.mjs'
import { readGit } from './run/read-git.mjs'
import { selectSteps, summary, testPrograms } from './test/gates.mjs'
import { planQuickSteps } from './test/quick-gates.mjs'
import { describeReports, prepareReports, readFailures } from './test/reports.mjs'
import { runGates, stopCommandsOnSignals } from './test/run-gates.mjs'
import { listTestFiles, selectFiles, toFileSteps } from './test/select-test-files.mjs'

/** Parses the command line: the current change, words that select test files, or gates. */
export function readArguments(args) {
  const type = 'string'
  const options = { only: { type }, from: { type }, tier: { type }, shard: { type }, quick: { type: 'boolean' } }
  const { values, positionals: names } = parseArgs({ args, options, allowPositionals: true })
  const [, second] = [...(names.length > 0 ? [`"${names.join(' ')}"`] : []), ...Object.keys(values)]
  if (second !== undefined && (names.length > 0 || values.quick))
    throw new Error(
      'Choose one: words in the names of test files, --quick, or gates (--only, --from, --tier, --shard).',
    )
  return { names, ...values }
}

/** Returns the tracked files that differ from the last commit or the index, as a map from name to content. */
export function changedFiles(root) {
  const names = (readGit(root, 'ls-files', '-z', '--modified') ?? '').split('\0').filter(Boolean)
  return new Map(names.map((name) => [name, contentHash(join(root, name))]))
}

/** Returns the files that changed between two snapshots, except for the lock file. */
export function newlyChanged(before, after) {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => name !== 'package-lock.json' && before.get(name) !== after.get(name))
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

/** Makes Git check commit messages (`checks/commits.mjs`). Without Git, or outside a repository, nothing happens. */
function enableCommitHook() {
  spawnSync('git', ['config', 'core.hooksPath', '.githooks'], { cwd: repositoryRoot, stdio: 'ignore' })
}

/** Installs the programs of the tests where it can. Elsewhere, tests are left out, but never in CI. */
async function installPrograms() {
  const missing = []
  for (const key of testPrograms) await ensureProgram(key).catch(({ message }) => missing.push(message))
  if (missing.length > 0 && process.env.CI) throw new Error(missing.join('\n'))
  return missing.length > 0 ? { note: `${missing.length} are missing`, output: `${missing.join('\n')}\n` } : undefined
}

const inProcess = {
  install,
  programs: installPrograms,
  build: () => buildIfNeeded(repositoryRoot).then(() => undefined),
}

/** Returns the steps that the command line selects, and a name for them. */
function planSteps({ names, quick, ...options }) {
  if (quick) return { selected: planQuickSteps(repositoryRoot), what: 'The checks of the change' }
  if (names.length > 0)
    return {
      selected: toFileSteps(selectFiles(names, listTestFiles(repositoryRoot))),
      what: `The tests of ${names.join(', ')}`,
    }
  const isWhole = options.only === undefined && options.from === undefined && options.shard === undefined
  const what = isWhole ? `All gates of the tier ${options.tier ?? 'test'}` : 'The chosen gates'
  return { selected: selectSteps(options), what }
}

async function main() {
  const { selected, what } = planSteps(readArguments(process.argv.slice(2)))
  stopCommandsOnSignals()
  const started = performance.now()
  const { folder, variables } = prepareReports(repositoryRoot)
  // Gates that run concurrently must not install the same packages.
  if (selected[0]?.[0]?.gate !== 'install') await installIfNeeded(repositoryRoot, 'all')
  const results = await runGates(selected, inProcess, variables)
  const failed = results.filter(({ passed }) => !passed).map(({ gate }) => gate)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  // Failures come last: a log is often read from its end, or only there.
  console.log(`\n${describeReports(folder)}\n\n${summary(selected, results).join('\n')}\n${readFailures(folder)}`)
  const outcome = failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${what} passed`
  console.log(`${outcome} (Node ${process.versions.node}, ${seconds} s)`)
  if (failed.length > 0) process.exitCode = 1
}

await runOnPinnedNode(import.meta.url, main)
