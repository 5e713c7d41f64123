import { once } from 'node:events'

/**
 * The uploads of this process. A library may ignore the abort signal, so that an aborted upload can still write to the
 * storage. Until it ends, no other recording of that account is uploaded.
 */
export interface RunningUploads {
  /** Runs an upload. Rejects with the signal's reason as soon as it aborts, even if the upload continues. */
  run(account_sid: string, signal: AbortSignal, upload: () => Promise<void>): Promise<void>
  /** Returns whether an upload of the account is running, including aborted ones. */
  isRunning(account_sid: string): boolean
}

const rejectOnAbort = async (work: Promise<void>, signal: AbortSignal): Promise<void> => {
  const cleanup = new AbortController()
  const aborted = once(signal, 'abort', cleanup).then(() => {
    throw signal.reason
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    cleanup.abort()
  }
}

/** Creates the register of running uploads. */
export const createRunningUploads = (): RunningUploads => {
  const running = new Map<string, number>()
  const count = (account_sid: string, change: 1 | -1) => {
    const uploads = (running.get(account_sid) ?? 0) + change
    if (uploads > 0) running.set(account_sid, uploads)
    else running.delete(account_sid)
  }
  return {
    run(account_sid, signal, upload) {
      const work = async () => {
        count(account_sid, 1)
        try {
          signal.throwIfAborted()
          await upload()
        } finally {
          count(account_sid, -1)
        }
      }
      return rejectOnAbort(work(), signal)
    },
    isRunning: (account_sid) => running.has(account_sid),
  }
}
