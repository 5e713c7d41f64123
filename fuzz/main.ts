import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { superviseTarget } from './engine/supervise.ts'
import { getTargetModule, type TargetName, targetNames, targets } from './targets/index.ts'

/**
 * `npm run fuzz -- [target …] [--seconds N] [--seed N] [--input FILE]`: runs parsers with mutated inputs, one target after
 * another. `--input` runs a target with one file, to repeat a failure.
 */

const defaultSeconds = 60
const hangMs = 20_000
const root = join(import.meta.dirname, '..')

const isTarget = (name: string): name is TargetName => Object.hasOwn(targets, name)

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const readNumber = (name: string, text: string): number => {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} has to be a positive number.`)
  return number
}

const runTargets = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string' }, seed: { type: 'string' }, input: { type: 'string' } },
  })
  const names = positionals.length > 0 ? positionals : targetNames
  const unknown = names.find((name) => !isTarget(name))
  if (unknown !== undefined) throw new Error(`There is no target ${unknown}. Targets are ${targetNames.join(', ')}.`)
  if (values.input !== undefined && names.length !== 1) throw new Error('--input needs one target.')
  const seconds = readNumber('seconds', values.seconds ?? String(defaultSeconds))
  // Another seed every time, which the output names, so that runs find different things.
  const seed = readNumber('seed', values.seed ?? String(1 + (Date.now() % 1_000_000_000)))
  for (const name of names.filter(isTarget)) {
    if (values.input === undefined) print(`${name}: ${seconds} s, seed ${seed}`)
    const failed = await superviseTarget({
      name,
      module: getTargetModule(name),
      ...targets[name],
      seconds,
      seed,
      corpusFolder: join(root, '.cache/fuzz', name),
      findingsFolder: join(root, 'test-results/fuzz'),
      hangMs,
      inputFile: values.input,
    })
    if (failed === undefined) continue
    process.exitCode = 1
    print(`${name}: failed: ${failed.reason}.`)
    if (failed.file !== undefined) print(`Repeat it with: npm run fuzz -- ${name} --input ${failed.file}`)
  }
}

try {
  await runTargets()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
