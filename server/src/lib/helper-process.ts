import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { ApiError } from '@patchbay/contract/api/errors'
import { type HelperName, helperEvents } from './telemetry.ts'

/**
 * Runs work in a process of its own that may die. A defect of V8, of WebAssembly, or of a decoder, and the memory limit
 * of V8, end the whole process that they occur in; in the server, that would end every request and every call that is
 * being recorded. A worker thread does not protect from this.
 */

/** The process ended in the middle of a request, and lost its state. The work can be repeated. */
export class HelperDied extends Error {}

/** The request exceeded its time limit, and its process was ended. */
export class HelperTimeout extends Error {}

export interface HelperProcess<Request, Reply> {
  /**
   * Sends a request, and returns the reply. Starts the process if it is not running.
   * @throws HelperDied if the process ends before it replies
   * @throws HelperTimeout if there is no reply in time
   */
  request(request: Request): Promise<Reply>
  isRunning(): boolean
  /** Keeps the process running while it has no requests, because it has state. Returns a function that ends this. */
  retain(): () => void
  /** Ends the process for good. */
  close(): Promise<void>
}

export interface HelperOptions {
  name: HelperName
  /** Module that calls `serveRequests`. */
  module: URL
  /** Memory limit of V8 in the process. */
  maxHeapMb: number
  /** Time limit of a request. It includes the start of the process, and the requests before it. */
  timeoutMs: number
}

interface Pending<Reply> {
  resolve(reply: Reply): void
  reject(error: Error): void
}

/** A message of the process (serve-requests.ts). */
export type HelperMessage<Reply> = { id: number } & ({ reply: Reply } | { problem: string })

/** An idle process costs 50 MB of memory. */
const idleMs = 30_000

/**
 * Characters of the error output that are kept: the last ones, which say why a process ended. Decoders write a line for
 * each damaged frame of a recording, which must not fill the log of the server.
 */
const maxOutput = 4000

/**
 * Starts the process. It gets no environment variables, which contain the secrets of the server, apart from the path of
 * the libraries that Node.js needs on some systems.
 */
const start = ({ module, maxHeapMb }: HelperOptions): ChildProcess => {
  const { LD_LIBRARY_PATH } = process.env
  return fork(module, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    env: LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

/** A process from its start to its end. */
class RunningHelper<Request, Reply> {
  readonly #options: HelperOptions
  readonly #isRetained: () => boolean
  readonly #child: ChildProcess
  readonly #pending = new Map<number, Pending<Reply>>()
  readonly #ended: Promise<void>
  #next = 0
  #hasEnded = false
  #output = ''

  /**
   * @param isRetained whether the process has state that is needed
   * @param onIdle called when the last request has its reply
   */
  constructor(options: HelperOptions, isRetained: () => boolean, onIdle: () => void) {
    this.#options = options
    this.#isRetained = isRetained
    this.#child = start(options)
    this.#child.on('message', (message: HelperMessage<Reply>) => {
      this.#settle(message)
      if (this.#pending.size === 0) onIdle()
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-maxOutput)
    })
    this.#ended = new Promise((resolve) => {
      const onEnd = (reason: string) => {
        this.#end(reason)
        resolve()
      }
      this.#child.on('error', (error) => onEnd(error.message))
      // The process has exited, and its error output is complete.
      this.#child.on('close', (code, signal) => onEnd(signal ?? `exit code ${code}`))
    })
    this.#setReferenced(false)
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  request(request: Request): Promise<Reply> {
    const id = (this.#next += 1)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id)
        reject(new HelperTimeout('the work of a helper process took too long'))
        this.#onTimeout()
      }, this.#options.timeoutMs)
      this.#pending.set(id, {
        resolve: (reply) => {
          clearTimeout(timer)
          resolve(reply)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      })
      this.#setReferenced(true)
      // The end of the process reports a message that could not be sent.
      this.#child.send({ id, request }, () => {})
    })
  }

  async stop(): Promise<void> {
    this.#kill('it was not needed')
    await this.#ended
  }

  /** The process may be in the middle of a calculation, which only its end interrupts. */
  #onTimeout(): void {
    const { name, timeoutMs } = this.#options
    if (!this.#hasEnded)
      helperEvents.publish({ helper: name, reason: 'timeout', detail: `no reply in ${timeoutMs} ms` })
    this.#kill('another request took too long')
  }

  #kill(detail: string): void {
    this.#child.kill('SIGKILL')
    this.#fail(detail)
  }

  #end(detail: string): void {
    if (this.#hasEnded) return
    const output = this.#output.trim()
    // The end of a process that nothing needs interrupts no work.
    if (this.#pending.size > 0 || this.#isRetained())
      helperEvents.publish({ helper: this.#options.name, reason: 'died', detail, ...(output ? { output } : {}) })
    this.#fail(detail)
  }

  #fail(detail: string): void {
    this.#hasEnded = true
    for (const { reject } of this.#pending.values()) reject(new HelperDied(`a helper process has ended: ${detail}`))
    this.#pending.clear()
    this.#setReferenced(false)
  }

  #settle(message: HelperMessage<Reply>): void {
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (this.#pending.size === 0) this.#setReferenced(false)
    if ('reply' in message) pending?.resolve(message.reply)
    else pending?.reject(new Error(message.problem))
  }

  /** Only a process with requests keeps the server running. */
  #setReferenced(isReferenced: boolean): void {
    const method = isReferenced ? 'ref' : 'unref'
    this.#child[method]()
    this.#child.channel?.[method]()
    // Pipes of child processes are sockets.
    const output = this.#child.stderr as Socket | null
    output?.[method]()
  }
}

/** Creates a helper. Its process starts with the first request, is replaced if it dies, and ends when it is idle. */
export const createHelperProcess = <Request, Reply>(options: HelperOptions): HelperProcess<Request, Reply> => {
  let running: RunningHelper<Request, Reply> | undefined
  let idle: NodeJS.Timeout | undefined
  let retained = 0
  let isClosed = false
  const stop = async () => {
    clearTimeout(idle)
    const stopped = running
    running = undefined
    await stopped?.stop()
  }
  const stopWhenIdle = () => {
    clearTimeout(idle)
    if (retained > 0) return
    idle = setTimeout(() => void stop(), idleMs)
    idle.unref()
  }
  return {
    async request(request) {
      if (isClosed) throw new Error('the server is closing')
      clearTimeout(idle)
      if (running === undefined || running.hasEnded)
        running = new RunningHelper(options, () => retained > 0, stopWhenIdle)
      return running.request(request)
    },
    isRunning: () => running?.hasEnded === false,
    retain() {
      retained += 1
      clearTimeout(idle)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        retained -= 1
        stopWhenIdle()
      }
    },
    async close() {
      isClosed = true
      await stop()
    },
  }
}

/**
 * Runs work, and repeats it once if its helper died. The work must begin anew when it is repeated.
 * @throws ApiError `unavailable` if the helper dies again, or if a request exceeded its time limit
 */
export const repeatIfHelperDied = async <T>(work: () => Promise<T>): Promise<T> => {
  const run = async (isLastAttempt: boolean): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof HelperTimeout || (error instanceof HelperDied && isLastAttempt))
        throw Object.assign(new ApiError('unavailable'), { cause: error })
      if (error instanceof HelperDied) return run(true)
      throw error
    }
  }
  return run(false)
}
