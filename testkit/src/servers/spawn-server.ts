import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { freePort } from './ports.ts'

/** Helpers for test servers that run as child processes and log a message when they are ready. */

export type Server = ChildProcess

const readyWithinMs = 120_000

const hasEnded = (child: Server): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

export const end = async (child: Server): Promise<void> => {
  if (hasEnded(child)) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/**
 * Resolves when the log contains the text for readiness. Rejects with the log if the process exits or takes too long.
 */
export const ready = (child: Server, log: Readable, { name, text }: { name: string; text: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    let collectedLog = ''
    const timer = setTimeout(() => failed(`not ready within ${readyWithinMs} ms`), readyWithinMs)
    const failed = (why: string) => {
      clearTimeout(timer)
      reject(new Error(`${name} did not start: ${why}\n${collectedLog}`))
    }
    log.setEncoding('utf8').on('data', (more: string) => {
      collectedLog = (collectedLog + more).slice(-8_000)
      if (!collectedLog.includes(text)) return
      clearTimeout(timer)
      resolve()
    })
    child.once('error', (error) => failed(error.message))
    child.once('exit', (code) => failed(`it ended with ${code}`))
  })

/** Returns the state of each thread of a process. T means stopped (proc(5)). */
const getThreadStates = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).map(
    (thread) => /^\d+ \(.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1] ?? '',
  )

/** Stops a process and resolves when all of its threads are stopped, because signals are delivered asynchronously. */
export const halted = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP')
  while (getThreadStates(pid).some((state) => state !== 'T')) await setImmediate()
}

/** Ends a server with the process of the tests. */
export const endWithUs = (child: Server): void => {
  const kill = () => child.kill('SIGKILL')
  process.prependListener('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Another process can take the free port before the server listens on it. In that case, another port is tried. */
export const onFreePort = async (
  launch: (port: number) => Promise<Server>,
): Promise<{ port: number; child: Server }> => {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      return { port, child: await launch(port) }
    } catch (error) {
      const taken = error instanceof Error && /address already in use/i.test(error.message)
      if (!taken || attempt === 5) throw error
    }
  }
}

/** A server with a folder of its own. */
export interface ServerControl {
  readonly port: number
  readonly pid: number
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
  /** Sends SIGKILL, which clients experience as a crash. */
  kill(): Promise<void>
  /** Sends SIGSTOP and SIGCONT. A paused server accepts connections but does not respond. */
  pause(): Promise<void>
  resume(): void
  /** Stops the server if it is running, and starts it on the same port, with the same folder. */
  restart(): Promise<void>
}

/**
 * Starts a server on a free port, in a temporary folder that is removed with it.
 *
 * @param launch starts the server, and resolves when it is ready
 */
export const startInFolder = async (
  name: string,
  launch: (folder: string, port: number) => Promise<Server>,
): Promise<ServerControl> => {
  const folder = await mkdtemp(join(tmpdir(), `patchbay-${name}-`))
  const remove = () => {
    process.off('exit', remove)
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const started = await onFreePort((port) => launch(folder, port)).catch((error: unknown) => {
    remove()
    throw error
  })
  const { port } = started
  let { child } = started
  return {
    port,
    get pid() {
      return child.pid ?? 0
    },
    async stop() {
      await end(child)
      remove()
    },
    kill: () => end(child),
    pause: () => halted(child.pid ?? 0),
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await end(child)
      child = await launch(folder, port)
    },
  }
}
