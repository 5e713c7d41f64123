import { callOfPoint } from '../intake/call-point.ts'
import { type InfluxDb, pattern } from '../influxdb.ts'
import { callOf } from './call-of.ts'
import type { Calls, CallSearch } from './calls.ts'
import { split, writeInstant } from './instants.ts'

const filtersOf = ({ trunk, direction, answered, text }: CallSearch) => {
  const exactly = {
    ...(trunk ? { trunk } : {}),
    ...(direction ? { direction } : {}),
    ...(answered === undefined ? {} : { answered: String(answered) }),
  }
  return {
    conditions: [
      ...Object.keys(exactly).map((tag) => `"${tag}"::tag = $${tag}`),
      ...(text ? [`("from" =~ ${pattern(text)} OR "to" =~ ${pattern(text)} OR "call_sid" = $text)`] : []),
    ],
    params: { ...exactly, ...(text ? { text } : {}) },
  }
}

/** Call records as the platform's own components keep them. */
export const createInfluxCalls = (influx: InfluxDb): Calls => ({
  async search(search, searcher) {
    // The platform counts by sip_callid, which calls may lack.
    const asked = { measurement: 'cdrs', counted: ['sip_callid', 'duration'], search, ...filtersOf(search) } as const
    const { total, points } = await influx.search(asked, searcher)
    const calls = points.map((point) => {
      const { milliseconds, nanoseconds } = split(point.time)
      return callOf(callOfPoint(point), writeInstant(milliseconds, nanoseconds))
    })
    return { total, calls }
  },
})
