import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fuzz } from './engine/fuzz-loop.ts'
import { superviseTarget } from './engine/supervise.ts'
import type { FuzzTarget } from './engine/target.ts'
import { getTargetModule, targetNames } from './targets/index.ts'

/** A short run of each target, and the failures that a run has to report. `npm run fuzz` runs them for longer. */

/** Inputs of each target. Those of slow parsers are fewer. */
const executions = { hep: 1000, sip: 150, 'line-protocol': 500, otlp: 200, csv: 200, archive: 60, mp3: 12 } as const

test.each(targetNames)('%s: mutated inputs break no rule', async (name) => {
  const { target } = (await import(getTargetModule(name).href)) as { target: FuzzTarget }
  expect(target.name).toBe(name)
  // The memory of the other tests in this process counts, too.
  const stats = await fuzz(
    { ...target, maxRssMb: Infinity, maxCpuMs: Infinity },
    { seed: 1, maxExecutions: executions[name] },
  )
  expect(stats.executions).toBe(executions[name])
})

describe('a failing target is reported with its input:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (name: string, seconds: number, hangMs: number) =>
    superviseTarget({
      name,
      module: new URL(`failing-targets/${name}.ts`, import.meta.url),
      maxHeapMb: 64,
      seconds,
      seed: 1,
      corpusFolder: join(folder, 'corpus', name),
      findingsFolder: join(folder, 'findings'),
      hangMs,
      output: 'ignore',
    })

  test('a broken rule behind comparisons that only coverage leads through', async () => {
    const failed = await run('nested-comparisons', 60, 60_000)
    expect(failed?.reason).toBe('the process ended with exit code 1')
    expect(readFileSync(failed?.file ?? '').toString('latin1', 0, 4)).toBe('HEP3')
  })

  test('work that grows with the square of the input', async () => {
    const countPairs = (input: Buffer): number => {
      let pairs = 0
      for (const one of input) for (const other of input) pairs += one === other ? 1 : 0
      return pairs
    }
    const target: FuzzTarget = {
      name: 'pairs',
      files: /^$/,
      maxBytes: 4000,
      maxCpuMs: 10,
      maxRssMb: Infinity,
      tokens: [],
      createSeeds: () => [Buffer.from('seed')],
      run: (input) => void countPairs(input),
    }
    await expect(fuzz(target, { seed: 1, maxExecutions: 100_000 })).rejects.toThrow(
      /^The input takes \d+ ms of CPU time/,
    )
  })

  test('an endless loop', async () => {
    const failed = await run('endless-loop', 600, 1000)
    expect(failed?.reason).toBe('an input takes longer than 1 s')
    expect(readFileSync(failed?.file ?? '').includes(0)).toBe(true)
  })

  test('more memory than the limit', async () => {
    const failed = await run('large-allocation', 600, 60_000)
    expect(failed?.reason).toMatch(/^the process ended with (?:SIG|exit code)/)
    expect(readFileSync(failed?.file ?? '').readUInt32BE(0) % 2 ** 28).toBeGreaterThan(100_000)
  })
})
