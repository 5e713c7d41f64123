import type { Actor } from '@patchbay/contract/access'
import { ApiError } from '@patchbay/contract/errors'
import { createTenantLimit } from './tenant-limit.ts'

/**
 * Many want something that can do little at a time. Those who ask take turns, so that who asks for much waits for
 * itself; and between two pieces of work the process has time for everything else.
 */

/** Does a piece of the work when its turn has come. */
export type RunStep = <T>(piece: () => Promise<T>) => Promise<T>

export interface FairQueue {
  /**
   * Refused at once where too much of this owner is here already. What waits for its turn ends when its caller is gone.
   *
   * @param isAdmitted the work belongs to a job that another limit has admitted: it waits for its turn, and is not refused
   */
  run<T>(owner: string, work: (runStep: RunStep) => Promise<T>, signal?: AbortSignal, isAdmitted?: boolean): Promise<T>
}

/** Whose turn it is when this one calls: all callers of an account, or of a provider, count as one. */
export const fairnessKey = ({ account_sid, service_provider_sid, user_sid }: Actor): string =>
  account_sid ?? service_provider_sid ?? user_sid ?? 'admin'

/** `concurrency`: pieces at work together; `max`: what one owner may have here, at work and waiting */
export const createFairQueue = ({ concurrency, max }: { concurrency: number; max: number }): FairQueue => {
  const limit = createTenantLimit(max)
  /** Pieces by owner; the first owner is next. */
  const waiting = new Map<string, (() => void)[]>()
  let atWork = 0

  const beginNext = (): void => {
    const [next] = waiting
    if (next === undefined) {
      atWork -= 1
      return
    }
    const [owner, [begin, ...later]] = next
    waiting.delete(owner)
    if (later.length > 0) waiting.set(owner, later)
    begin?.()
  }

  const end = (): void => {
    if (waiting.size > 0) setImmediate(beginNext)
    else atWork -= 1
  }

  const remove = (owner: string, begin: () => void): void => {
    const others = waiting.get(owner)?.filter((other) => other !== begin) ?? []
    if (others.length > 0) waiting.set(owner, others)
    else waiting.delete(owner)
  }

  /** What was begun goes on before the owner's next begins. */
  const wait = (owner: string, begun: boolean, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        remove(owner, begin)
        reject(new ApiError('client_closed_request'))
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      if (signal?.aborted) return leave()
      const others = waiting.get(owner) ?? []
      waiting.set(owner, begun ? [begin, ...others] : [...others, begin])
      signal?.addEventListener('abort', leave, { once: true })
      if (atWork >= concurrency) return
      atWork += 1
      setImmediate(beginNext)
    })

  const createRunStep = (owner: string, signal: AbortSignal | undefined): RunStep => {
    let begun = false
    return async (piece) => {
      await wait(owner, begun, signal)
      begun = true
      try {
        return await piece()
      } finally {
        end()
      }
    }
  }

  return {
    async run(owner, work, signal, isAdmitted = false) {
      const release = isAdmitted ? undefined : limit.acquire(owner)
      try {
        return await work(createRunStep(owner, signal))
      } finally {
        release?.()
      }
    },
  }
}
