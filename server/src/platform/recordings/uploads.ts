import { once } from 'node:events'

/** Uploads of this process, by the `idOf` of their recordings. */
export interface Uploads {
  /** Rejects with the signal's reason once that is aborted; the upload may go on, as not every library listens to it. */
  run(id: string, stop: AbortSignal, upload: () => Promise<void>): Promise<void>
  /** Whether the storage may still get something under way, also when nobody waits for it any more. */
  mayLand(id: string): boolean
}

const untilStopped = async (work: Promise<void>, stop: AbortSignal): Promise<void> => {
  const over = new AbortController()
  const stopped = once(stop, 'abort', over).then(() => {
    throw stop.reason
  })
  try {
    await Promise.race([work, stopped])
  } finally {
    over.abort()
  }
}

export const createUploads = (): Uploads => {
  const underWay = new Map<string, number>()
  const over = (id: string): void => {
    const left = (underWay.get(id) ?? 1) - 1
    if (left > 0) underWay.set(id, left)
    else underWay.delete(id)
  }
  return {
    run(id, stop, upload) {
      underWay.set(id, (underWay.get(id) ?? 0) + 1)
      const work = async () => {
        try {
          await upload()
        } finally {
          over(id)
        }
      }
      return untilStopped(work(), stop)
    },
    mayLand: (id) => underWay.has(id),
  }
}
