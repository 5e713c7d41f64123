import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCoverage } from './coverage.ts'
import { createCurrentInputWriter, getInputName } from './current-input.ts'
import { FuzzFinding, type FuzzStats, fuzz, timeInput } from './fuzz-loop.ts'
import type { TargetProcessOptions } from './supervise.ts'
import type { FuzzTarget } from './target.ts'

/** The process of a target, which supervise.ts starts and watches. */

/** Code of Patchbay, and of the libraries that parse for it. */
const measuredCode =
  /\/(?:server|contract|console)\/src\/|\/failing-targets\/|\/node_modules\/(?:ipaddr\.js|papaparse|protobufjs)\//

const progressMs = 60_000

const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Returns the contents of a folder, and empties it: inputs that run nothing new any more do not return. */
const takeFiles = (folder: string): Buffer[] => {
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const content = readFileSync(join(folder, name))
      rmSync(join(folder, name))
      return content
    })
}

const { module, seconds, seed, corpusFolder, currentInputFile, inputFile } = JSON.parse(
  process.argv[2] ?? '',
) as TargetProcessOptions

// Coverage starts before the parser loads, so that it knows all functions of its files.
const coverage = startCoverage((url) => measuredCode.test(url))
const { target } = (await import(module)) as { target: FuzzTarget }
const currentInput = createCurrentInputWriter(currentInputFile, target.maxBytes)

const formatReport = ({ executions, corpusSize, slowest, maxRssMb }: FuzzStats, startedAt: number): string => {
  const { covered, total } = coverage.count(target.files)
  const elapsed = (performance.now() - startedAt) / 1000
  return [
    `${target.name}: ${elapsed.toFixed(0)} s`,
    `${executions} inputs (${(executions / elapsed).toFixed(0)} per second)`,
    `${corpusSize} kept`,
    `${((100 * covered) / total).toFixed(1)} % of ${total} characters of its code`,
    `${maxRssMb} MB`,
    `slowest ${slowest.cpuMs.toFixed(1)} ms for ${slowest.input.length} bytes`,
  ].join(', ')
}

const runAll = async (): Promise<void> => {
  const startedAt = performance.now()
  let reportedAt = startedAt
  const stats = await fuzz(target, {
    seed,
    endsAt: startedAt + seconds * 1000,
    coverage,
    corpus: takeFiles(corpusFolder).filter(({ length }) => length <= target.maxBytes),
    onInput: (input) => currentInput.write(input),
    onKept: (input) => writeFileSync(join(corpusFolder, getInputName(input)), input),
    onProgress(progress) {
      if (performance.now() - reportedAt < progressMs) return
      reportedAt = performance.now()
      print(formatReport(progress, startedAt))
    },
  })
  print(formatReport(stats, startedAt))
}

const runOne = async (file: string): Promise<void> => {
  const input = readFileSync(file)
  currentInput.write(input)
  const cpuMs = await timeInput(target, input)
  print(`${target.name}: the input of ${input.length} bytes takes ${cpuMs.toFixed(1)} ms`)
}

try {
  await (inputFile === undefined ? runAll() : runOne(inputFile))
} catch (error) {
  if (!(error instanceof FuzzFinding)) throw error
  process.stderr.write(`${target.name}: ${error.message}\n`)
  process.exitCode = 1
} finally {
  currentInput.close()
}
