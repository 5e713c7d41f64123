import { repositoryRoot } from '@patchbay/testkit/documentation'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { scripts } from '../../package.json' with { type: 'json' }

/** Runs each benchmark with little data, so that none stops working unnoticed. Its figures mean nothing then. */

const scale = '0.001'

/** Arguments of benchmarks that have many parts, or options of their own. Others use SQLite. */
const benchArguments: Readonly<Record<string, readonly string[]>> = {
  'bench:flood': ['sqlite', '500 random tokens', 'alert webhooks: no response'],
  'bench:kill': ['--rounds', '1'],
}

const benchmarks = Object.entries(scripts).flatMap(([name, command]) => {
  const [, file] = /^node scripts\/bench\.mjs (.+)$/.exec(command) ?? []
  return file === undefined ? [] : [[name, file] as const]
})

const run = async (file: string, args: readonly string[]): Promise<string> => {
  const env = { ...process.env, BENCH_SCALE: scale }
  const options = { cwd: repositoryRoot, env, maxBuffer: 16 * 1024 * 1024 }
  return (await promisify(execFile)(process.execPath, [`bench/${file}.ts`, ...args], options)).stdout
}

test('there are benchmarks', () => {
  expect(benchmarks.length).toBeGreaterThan(9)
})

test.each(benchmarks)('%s prints figures for little data', async (name, file) => {
  const output = await run(file, benchArguments[name] ?? ['sqlite'])
  // A table with a number in a column after the first.
  expect(output).toMatch(/^\| [^|]+ \|.*\d.*\|$/m)
})
