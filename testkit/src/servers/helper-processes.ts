import { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** Kills the helper processes of a server under test in the middle of their work. */

interface SpawnOptions {
  args?: readonly string[]
}
type Spawn = (this: ChildProcess, options: SpawnOptions) => unknown
type Send = (...message: unknown[]) => boolean

let deaths: { module: string; remaining: number } | undefined

/** Kills the process if the test wants it. The request is sent after that, so that it never gets a reply. */
const dieIfWanted = (child: ChildProcess, args: readonly string[]): void => {
  const death = deaths
  if (death === undefined || death.remaining === 0 || !args.some((arg) => arg.includes(death.module))) return
  death.remaining -= 1
  child.kill('SIGKILL')
}

const helperModule = /-process\.mjs/

/** Returns the helper processes that this process has started. */
const findHelpers = (): number[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => {
      try {
        return helperModule.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      } catch {
        return false
      }
    })
    .map(Number)

/** Ends the helpers of test files before this one. */
const endHelpers = async (): Promise<void> => {
  for (let helpers = findHelpers(); helpers.length > 0; helpers = findHelpers()) {
    for (const pid of helpers) process.kill(pid, 'SIGKILL')
    await pause(10)
  }
}

/**
 * Lets helper processes that start from now on die when a test wants it. Test files share their modules, so the class of
 * Node.js is changed instead of a module. Returns a function that ends this.
 */
export const makeHelpersMortal = async (): Promise<() => void> => {
  await endHelpers()
  const prototype = ChildProcess.prototype as ChildProcess & { spawn: Spawn }
  const { spawn } = prototype
  prototype.spawn = function spawnMortal(options) {
    const result: unknown = Reflect.apply(spawn, this, [options])
    const send = this.send?.bind(this) as Send | undefined
    if (send !== undefined)
      Object.assign(this, {
        send: (...message: unknown[]) => {
          dieIfWanted(this, options.args ?? [])
          return send(...message)
        },
      })
    return result
  }
  return () => {
    prototype.spawn = spawn
    deaths = undefined
  }
}

/** Kills the next processes of a module that receive a request. */
export const killDuringRequests = (module: string, count: number): void => {
  deaths = { module, remaining: count }
}

/** Returns how many of these processes still have to die. */
export const countRemainingDeaths = (): number => deaths?.remaining ?? 0
