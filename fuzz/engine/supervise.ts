import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getInputName, readCurrentInput } from './current-input.ts'

/** Runs a target in a process of its own, ends it if an input hangs, and saves the input that made it fail. */

export interface TargetProcessOptions {
  /** URL of the module that exports the target. */
  module: string
  seconds: number
  seed: number
  corpusFolder: string
  currentInputFile: string
  /** Runs only this file. */
  inputFile?: string | undefined
}

export interface SupervisedRun {
  name: string
  module: URL
  maxHeapMb: number
  seconds: number
  seed: number
  /** Folder for inputs that are kept between runs. */
  corpusFolder: string
  /** Folder for inputs that fail. */
  findingsFolder: string
  /** Time after which an input counts as hanging. */
  hangMs: number
  inputFile?: string | undefined
  /** Destination of the process's output. Default: the output of this process. */
  output?: 'inherit' | 'ignore'
}

export interface FailedRun {
  reason: string
  /** File with the input. Undefined if the process failed before the first input. */
  file: string | undefined
}

/** Ends the process if it does not begin another input in time. Returns a function that stops watching. */
const watch = (path: string, hangMs: number, onHang: () => void): (() => void) => {
  let lastInputs: number | undefined
  let changedAt = performance.now()
  const timer = setInterval(
    () => {
      const inputs = existsSync(path) ? readCurrentInput(path)?.inputs : undefined
      if (inputs !== lastInputs) {
        lastInputs = inputs
        changedAt = performance.now()
      } else if (inputs !== undefined && performance.now() - changedAt > hangMs) onHang()
    },
    Math.min(1000, hangMs / 4),
  )
  return () => clearInterval(timer)
}

const saveInput = (name: string, folder: string, currentInputFile: string): string | undefined => {
  const input = existsSync(currentInputFile) ? readCurrentInput(currentInputFile)?.input : undefined
  if (input === undefined) return undefined
  const file = join(folder, `${name}-${getInputName(input)}`)
  writeFileSync(file, input)
  return file
}

/** Runs a target for some time. Returns undefined if no input failed. */
export const superviseTarget = async (run: SupervisedRun): Promise<FailedRun | undefined> => {
  const {
    name,
    module,
    maxHeapMb,
    seconds,
    seed,
    corpusFolder,
    findingsFolder,
    hangMs,
    inputFile,
    output = 'inherit',
  } = run
  mkdirSync(findingsFolder, { recursive: true })
  const currentInputFile = join(findingsFolder, `${name}-${process.pid}.current`)
  const options: TargetProcessOptions = {
    module: module.href,
    seconds,
    seed,
    corpusFolder,
    currentInputFile,
    inputFile,
  }
  const program = fileURLToPath(new URL('run-target.ts', import.meta.url))
  const child = spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, program, JSON.stringify(options)], {
    stdio: ['ignore', output, output],
  })
  let isHanging = false
  const stopWatching = watch(currentInputFile, hangMs, () => {
    isHanging = true
    child.kill('SIGKILL')
  })
  const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
    (resolve, reject) => {
      child
        .once('error', reject)
        .once('exit', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }))
    },
  )
  stopWatching()
  try {
    if (code === 0) return undefined
    const reason = isHanging
      ? `an input takes longer than ${hangMs / 1000} s`
      : `the process ended with ${signal ?? `exit code ${code}`}`
    return { reason, file: saveInput(name, findingsFolder, currentInputFile) }
  } finally {
    rmSync(currentInputFile, { force: true })
  }
}
