import type { ChildProcess, fork } from 'node:child_process'

/** Kills the helper processes of a server under test, in the middle of their work. */

let deaths: { module: string; remaining: number } | undefined

/** Kills the process if the test wants it. The request is sent after that, so that it never gets a reply. */
const dieIfWanted = (child: ChildProcess, module: string): void => {
  if (deaths === undefined || deaths.remaining === 0 || !module.includes(deaths.module)) return
  deaths.remaining -= 1
  child.kill('SIGKILL')
}

/** Returns the function in place of which the server calls `fork`. */
export const forkMortal =
  (real: typeof fork): typeof fork =>
  (...args: unknown[]) => {
    const child = Reflect.apply(real, undefined, args) as ChildProcess
    const send = child.send.bind(child) as (...message: unknown[]) => boolean
    Object.assign(child, {
      send: (...message: unknown[]) => {
        dieIfWanted(child, String(args[0]))
        return send(...message)
      },
    })
    return child
  }

/** Kills the next processes of a module that receive a request. */
export const killDuringRequests = (module: string, count: number): void => {
  deaths = { module, remaining: count }
}

/** Returns how many of these processes still have to die. */
export const countRemainingDeaths = (): number => deaths?.remaining ?? 0
