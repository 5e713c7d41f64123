import type { Worker } from 'node:worker_threads'

/** A job posts messages to the thread, and gets the next message of the thread for each. The signal aborts at its time limit. */
type Job<Message, Reply, T> = (send: (message: Message) => Promise<Reply>, signal: AbortSignal) => Promise<T>

/** A worker thread that runs one job at a time. It starts with the first job, and ends when it is idle. */
export interface SerialThread<Message, Reply> {
  /**
   * Runs a job after those before it.
   * @throws Error if the thread ends, or if the job exceeds its time limit
   */
  run<T>(job: Job<Message, Reply, T>): Promise<T>
  close(): Promise<void>
}

export interface SerialThreadOptions {
  /** Name of the work in error messages, such as "masking". */
  work: string
  start: () => Worker
  /** Time limit of a job. */
  timeoutMs: number
  /** Returns whether the thread can continue after this error. By default, it is ended after each failed job. */
  isRecoverable?: (error: unknown) => boolean
}

/** An idle thread costs 20 MB of memory. */
const idleMs = 30_000

const sendTo = <Reply>(thread: Worker, work: string, message: unknown, signal: AbortSignal): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const listening = new AbortController()
    const settle = (settled: () => void) => {
      listening.abort()
      settled()
    }
    const onReply = (reply: Reply) => settle(() => resolve(reply))
    const onEnd = (error?: unknown) =>
      settle(() => reject(new Error(`the thread of ${work} has ended`, { cause: error })))
    const onTimeout = () => settle(() => reject(new Error(`${work} took too long`)))
    thread.on('message', onReply).on('error', onEnd).on('exit', onEnd)
    signal.addEventListener('abort', onTimeout, { signal: listening.signal })
    listening.signal.addEventListener('abort', () =>
      thread.off('message', onReply).off('error', onEnd).off('exit', onEnd),
    )
    thread.postMessage(message)
  })

/** Creates the thread. */
export const createSerialThread = <Message, Reply>({
  work,
  start,
  timeoutMs,
  isRecoverable = () => false,
}: SerialThreadOptions): SerialThread<Message, Reply> => {
  let thread: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  let idle: NodeJS.Timeout | undefined
  const end = async () => {
    clearTimeout(idle)
    const ended = thread
    thread = undefined
    await ended?.terminate()
  }
  const startThread = (): Worker => {
    const started = start()
    // `sendTo` reports the error.
    started.on('error', () => {})
    started.unref()
    return started
  }
  const runNow = async <T>(job: Job<Message, Reply, T>): Promise<T> => {
    clearTimeout(idle)
    const current = (thread ??= startThread())
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await job((message) => sendTo(current, work, message, signal), signal)
    } catch (error) {
      if (!isRecoverable(error)) await end()
      throw error
    } finally {
      idle = setTimeout(() => void end(), idleMs)
      idle.unref()
    }
  }
  return {
    run(job) {
      const result = last.then(() => runNow(job))
      last = result.catch(() => {})
      return result
    },
    close: end,
  }
}
