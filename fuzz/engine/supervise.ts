import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
  /** CPU time after which an input counts as hanging. */
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

/** The unit of times in /proc, see proc_pid_stat(5). Linux has 100 clock ticks per second on all platforms of Node.js. */
const clockTickMs = 10

/** Returns the CPU time of a process, or undefined where there is no /proc. */
const readCpuMs = (pid: number | undefined): number | undefined => {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  // The name of the program is in parentheses, and can contain blanks. The state follows it.
  const fields = (readFileSync(file, 'latin1').split(') ').at(-1) ?? '').split(' ')
  const [userTicks, systemTicks] = fields.slice(11, 13).map(Number)
  return userTicks === undefined || systemTicks === undefined ? undefined : (userTicks + systemTicks) * clockTickMs
}

/** An input that waits without using the processor hangs after this many times the limit. */
const waitFactor = 20

interface Watched {
  pid: number | undefined
  currentInputFile: string
  hangMs: number
}

/**
 * Ends the process if it does not begin another input in time. Only its CPU time counts, because on a busy machine any input
 * can wait for a second. Returns a function that stops watching.
 */
const watch = ({ pid, currentInputFile, hangMs }: Watched, onHang: () => void): (() => void) => {
  const readTimes = () => {
    const elapsedMs = performance.now()
    return { elapsedMs, cpuMs: readCpuMs(pid) }
  }
  let lastInputs: number | undefined
  let begun = readTimes()
  const timer = setInterval(
    () => {
      const inputs = existsSync(currentInputFile) ? readCurrentInput(currentInputFile)?.inputs : undefined
      const now = readTimes()
      const elapsedMs = now.elapsedMs - begun.elapsedMs
      const cpuMs = now.cpuMs === undefined || begun.cpuMs === undefined ? elapsedMs : now.cpuMs - begun.cpuMs
      if (inputs !== lastInputs) {
        lastInputs = inputs
        begun = now
      } else if (inputs !== undefined && (cpuMs > hangMs || elapsedMs > waitFactor * hangMs)) onHang()
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
  const stopWatching = watch({ pid: child.pid, currentInputFile, hangMs }, () => {
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
