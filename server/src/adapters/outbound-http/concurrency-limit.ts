/** Limits the number of concurrent operations per key. */
export interface ConcurrencyLimit {
  /**
   * Waits for a free slot of the key. Returns a function that frees it, which may be called more than once.
   *
   * @throws the signal's reason if the signal aborts while the caller waits
   */
  acquire(key: string, signal: AbortSignal): Promise<() => void>
}

interface Slots {
  used: number
  waiting: (() => void)[]
}

/**
 * Creates a limit that shares no slots between keys. Callers get slots in the order of their requests.
 * @param maxPerKey number of slots of each key
 */
export const createConcurrencyLimit = (maxPerKey: number): ConcurrencyLimit => {
  const slotsByKey = new Map<string, Slots>()

  const getSlots = (key: string): Slots => {
    const slots = slotsByKey.get(key) ?? { used: 0, waiting: [] }
    slotsByKey.set(key, slots)
    return slots
  }

  const release = (key: string, slots: Slots): void => {
    const next = slots.waiting.shift()
    // The next waiting caller takes over the slot, so the number of used slots does not change.
    if (next) return next()
    slots.used -= 1
    if (slots.used === 0) slotsByKey.delete(key)
  }

  const releaseOnce = (key: string, slots: Slots): (() => void) => {
    let released = false
    return () => {
      if (released) return
      released = true
      release(key, slots)
    }
  }

  const wait = (slots: Slots, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const run = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        slots.waiting.splice(slots.waiting.indexOf(run), 1)
        reject(signal.reason as Error)
      }
      slots.waiting.push(run)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    async acquire(key, signal) {
      signal.throwIfAborted()
      const slots = getSlots(key)
      if (slots.used < maxPerKey) slots.used += 1
      else await wait(slots, signal)
      return releaseOnce(key, slots)
    },
  }
}
