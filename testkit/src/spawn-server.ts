import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { freePort } from './ports.ts'

/** What the servers of tests have in common: each is a process of ours that says in its log when it is there. */

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

/** Resolves when it says that it accepts connections; rejects with its log when it ends or takes too long. */
export const ready = (child: Server, log: Readable, { name, text }: { name: string; text: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => failed(`not ready within ${readyWithinMs} ms`), readyWithinMs)
    const failed = (why: string) => {
      clearTimeout(timer)
      reject(new Error(`${name} did not start: ${why}\n${said}`))
    }
    log.setEncoding('utf8').on('data', (more: string) => {
      said = (said + more).slice(-8_000)
      if (!said.includes(text)) return
      clearTimeout(timer)
      resolve()
    })
    child.once('error', (error) => failed(error.message))
    child.once('exit', (code) => failed(`it ended with ${code}`))
  })

/** What each thread of a process does, as the kernel has it: T is stopped (proc(5)). */
const statesOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).map(
    (thread) => /^\d+ \(.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1] ?? '',
  )

/** A signal is only on its way: resolves when no thread of the process does anything any more. */
export const halted = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP')
  while (statesOf(pid).some((state) => state !== 'T')) await setImmediate()
}

export const endWithUs = (child: Server): void => {
  const kill = () => child.kill('SIGKILL')
  process.prependListener('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Between finding a free port and listening on it another process may take it: then it is another port's turn. */
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
