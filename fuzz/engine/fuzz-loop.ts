import { setImmediate as eventLoop } from 'node:timers/promises'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import type { Coverage } from './coverage.ts'
import { basicTokens, type MutationSource, mutate } from './mutate.ts'
import { BrokenRuleError, type FuzzTarget } from './target.ts'

/** Runs a target with mutated inputs, and keeps those that run new code, and the slowest one. */

export interface FuzzOptions {
  /** Seed of the random numbers. */
  seed: number
  /** Ends after this number of inputs, or at this time of `performance.now()`. */
  maxExecutions?: number
  endsAt?: number
  /** Without coverage, only the seeds are mutated. */
  coverage?: Coverage
  /** Inputs of earlier runs, besides the seeds of the target. */
  corpus?: readonly Buffer[]
  /** Called before each input runs. */
  onInput?: (input: Buffer) => void
  /** Called with each input that is kept. */
  onKept?: (input: Buffer) => void
  /** Called after each batch. */
  onProgress?: (stats: FuzzStats) => void
}

export interface FuzzStats {
  executions: number
  corpusSize: number
  slowest: { cpuMs: number; input: Buffer }
  maxRssMb: number
}

/** An input breaks a rule of its target, or exceeds a limit. */
export class FuzzFinding extends Error {
  readonly input: Buffer

  constructor(input: Buffer, message: string, options?: ErrorOptions) {
    super(message, options)
    this.input = input
  }
}

/** Coverage is measured after a batch of inputs, because a measurement takes some milliseconds. */
const minBatchMs = 40
const batchPerMeasurement = 6
const maxBatch = 5000

/** Runs of a slow input, of which the shortest counts. */
const timedRuns = 3

/** An input whose time is this many times that of the slowest one replaces it. */
const slowerBy = 1.2
const minSlowMs = 2

const describe = (error: unknown): string =>
  error instanceof BrokenRuleError ? error.message : error instanceof Error ? (error.stack ?? '') : String(error)

const toMb = (kilobytes: number): number => Math.round(kilobytes / 1024)

/** Runs one input. Throws a FuzzFinding if it breaks a rule or the limit of memory. */
const runInput = async (target: FuzzTarget, input: Buffer): Promise<void> => {
  try {
    await target.run(input)
  } catch (error) {
    throw new FuzzFinding(input, describe(error), { cause: error })
  }
  const maxRssMb = toMb(process.resourceUsage().maxRSS)
  if (maxRssMb > target.maxRssMb) throw new FuzzFinding(input, `The process has used ${maxRssMb} MB of memory.`)
}

/**
 * Returns the CPU time of an input in milliseconds, the shortest of several runs.
 * @throws FuzzFinding if the input breaks a rule or a limit
 */
export const timeInput = async (target: FuzzTarget, input: Buffer): Promise<number> => {
  let cpuMs = Infinity
  for (let run = 0; run < timedRuns; run += 1) {
    const started = process.cpuUsage()
    await runInput(target, input)
    const { user, system } = process.cpuUsage(started)
    cpuMs = Math.min(cpuMs, (user + system) / 1000)
  }
  if (cpuMs > target.maxCpuMs) throw new FuzzFinding(input, `The input takes ${cpuMs.toFixed(0)} ms of CPU time.`)
  return cpuMs
}

const selectInput = (corpus: readonly Buffer[], slowest: Buffer, { below, pick }: Random): Buffer => {
  if (slowest.length > 0 && below(50) === 0) return slowest
  // Short inputs run more often in the same time, and recent discoveries lead to more.
  const [one, other] = [pick(corpus), pick(below(2) === 0 ? corpus : corpus.slice(-16))]
  return one.length < other.length ? one : other
}

/**
 * Runs the target until the time or the number of inputs is reached.
 * @throws FuzzFinding for the first input that breaks a rule of the target
 */
export const fuzz = async (target: FuzzTarget, options: FuzzOptions): Promise<FuzzStats> => {
  const { seed, maxExecutions = Infinity, endsAt = Infinity, coverage, onInput, onKept, onProgress } = options
  const random = createRandom(seed)
  const tokens = [...basicTokens, ...target.tokens].map((token) => Buffer.from(token))
  const seeds = [...(await target.createSeeds()), ...(options.corpus ?? [])]
  const corpus: Buffer[] = []
  const stats: FuzzStats = {
    executions: 0,
    corpusSize: 0,
    slowest: { cpuMs: minSlowMs, input: Buffer.alloc(0) },
    maxRssMb: 0,
  }
  const source: MutationSource = {
    random,
    tokens,
    pickOther: () => random.pick(corpus),
    maxBytes: target.maxBytes,
  }

  const keep = (input: Buffer): void => {
    // A part of a larger buffer would keep all of it in memory.
    corpus.push(Buffer.from(input))
    onKept?.(input)
  }

  const run = async (input: Buffer): Promise<void> => {
    onInput?.(input)
    stats.executions += 1
    const started = performance.now()
    await runInput(target, input)
    // Other programs can use the machine, so that the CPU time is measured before an input counts as slow.
    if (performance.now() - started < stats.slowest.cpuMs * slowerBy) return
    const cpuMs = await timeInput(target, input)
    if (cpuMs < stats.slowest.cpuMs * slowerBy) return
    stats.slowest = { cpuMs, input: Buffer.from(input) }
    onKept?.(input)
  }

  const isOver = (): boolean => stats.executions >= maxExecutions || performance.now() >= endsAt
  const report = (): void => {
    stats.corpusSize = corpus.length
    stats.maxRssMb = toMb(process.resourceUsage().maxRSS)
    onProgress?.(stats)
  }

  /** Runs a batch again, and keeps the inputs that run new code. Halves need fewer measurements than single inputs. */
  const keepNew = async (batch: readonly Buffer[]): Promise<void> => {
    const [first] = batch
    if (first !== undefined && batch.length === 1) {
      await run(first)
      if (coverage?.hasNewCode() === true) keep(first)
      return
    }
    const middle = batch.length >> 1
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      for (const input of half) await run(input)
      if (coverage?.wouldHaveNewCode() === true) await keepNew(half)
    }
  }

  for (const input of seeds) {
    await run(input)
    if (coverage?.hasNewCode() !== false || corpus.length === 0) keep(input)
  }
  let measurementMs = 0
  while (!isOver()) {
    const batch: Buffer[] = []
    const batchEndsAt = performance.now() + Math.max(minBatchMs, batchPerMeasurement * measurementMs)
    while (batch.length < maxBatch && !isOver() && (batch.length === 0 || performance.now() < batchEndsAt)) {
      const input = mutate(selectInput(corpus, stats.slowest.input, random), source)
      batch.push(input)
      await run(input)
    }
    const startedAt = performance.now()
    const isNew = coverage?.wouldHaveNewCode() === true
    measurementMs = performance.now() - startedAt
    if (isNew) await keepNew(batch)
    // V8 releases some memory, such as that of zlib, only between two tasks.
    await eventLoop()
    report()
  }
  report()
  return stats
}
