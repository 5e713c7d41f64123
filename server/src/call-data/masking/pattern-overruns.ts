/** Service providers whose patterns have exceeded their time in this process, for their masking screen and the system status. */
export interface PatternOverruns {
  add(service_provider_sid: string): void
  /** Returns when the patterns of a provider last exceeded their time, in epoch milliseconds. */
  getLastAt(service_provider_sid: string): number | undefined
  /** Returns the providers of the last day, with the time in epoch milliseconds. */
  list(): { service_provider_sid: string; lastAt: number }[]
}

const dayMs = 86_400_000

/** Creates the record, which is empty. */
export const createPatternOverruns = (now: () => number = Date.now): PatternOverruns => {
  const times = new Map<string, number>()
  const forgetOld = () => {
    for (const [sid, lastAt] of times) if (now() - lastAt > dayMs) times.delete(sid)
  }
  return {
    add(service_provider_sid) {
      forgetOld()
      times.set(service_provider_sid, now())
    },
    getLastAt(service_provider_sid) {
      forgetOld()
      return times.get(service_provider_sid)
    },
    list() {
      forgetOld()
      return [...times].map(([service_provider_sid, lastAt]) => ({ service_provider_sid, lastAt }))
    },
  }
}
