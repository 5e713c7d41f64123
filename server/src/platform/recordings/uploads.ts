import { once } from 'node:events'

/** Uploads of this process, by the `idOf` of their recordings: one of each, begun where none of it may land. */
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
  const underWay = new Set<string>()
  return {
    run(id, stop, upload) {
      underWay.add(id)
      const work = async () => {
        try {
          await upload()
        } finally {
          underWay.delete(id)
        }
      }
      return untilStopped(work(), stop)
    },
    mayLand: (id) => underWay.has(id),
  }
}
