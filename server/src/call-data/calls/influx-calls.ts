import type { Call } from '@patchbay/contract/recent-calls'
import { callOfPoint, type Stored } from '../ingest/parse-call-point.ts'
import { type InfluxDb, toInfluxPattern } from '../../adapters/influxdb.ts'
import { toCall } from './to-call.ts'
import { type Calls, type CallSearch, idColumn, maxResults } from './calls.ts'
import { split, writeInstant } from './nanosecond-timestamps.ts'
import { allTime, ownerColumn } from './search-options.ts'

const filtersOf = ({ trunk, direction, answered, sip_status, text }: CallSearch) => {
  const exactly = {
    ...(trunk ? { trunk } : {}),
    ...(direction ? { direction } : {}),
    ...(answered === undefined ? {} : { answered: String(answered) }),
  }
  return {
    conditions: [
      ...Object.keys(exactly).map((tag) => `"${tag}"::tag = $${tag}`),
      ...(sip_status === undefined ? [] : [`"sip_status" = ${sip_status}`]),
      ...(text
        ? [`("from" =~ ${toInfluxPattern(text)} OR "to" =~ ${toInfluxPattern(text)} OR "call_sid" = $text)`]
        : []),
    ],
    params: { ...exactly, ...(text ? { text } : {}) },
  }
}

const shown = (point: Stored): Call => {
  const { milliseconds, nanoseconds } = split(point.time)
  return toCall(callOfPoint(point), writeInstant(milliseconds, nanoseconds))
}

/** As many as InfluxDB gives at once where nobody has told it otherwise. */
const streamBatchSize = 5000

/** The platform counts by sip_callid, which calls may lack. */
const cdrs = { measurement: 'cdrs', counted: ['sip_callid', 'duration'] } as const

/** Call records as the platform's own components keep them. */
export const createInfluxCalls = (influx: InfluxDb): Calls => ({
  async search(search, searcher) {
    const { total, points } = await influx.search({ ...cdrs, search, ...filtersOf(search) }, searcher)
    return { total, calls: points.map(shown) }
  },
  async *walk(search, searcher) {
    // Pages are those of one moment.
    const until = Math.min(search.until ?? allTime.until, Date.now())
    for (let page = 1; ; page += 1) {
      const asked = { ...cdrs, search: { ...search, until, page, pageSize: streamBatchSize } }
      const { points } = await influx.search({ ...asked, ...filtersOf(asked.search) }, searcher)
      if (points.length > 0) yield points.map(shown)
      if (points.length < streamBatchSize) return
    }
  },
  async find(owner, id) {
    const [name, value] = idColumn(id)
    const search = { owner, page: 1, pageSize: maxResults }
    const asked = { ...cdrs, search, conditions: [`"${name}" = $id`], params: { id: value } }
    const [, sid] = ownerColumn(owner)
    return (await influx.search(asked, { owner: sid })).points.map(shown)
  },
  async findForeign(owner, id, { from, until }) {
    const [name, value] = idColumn(id)
    const search = { owner, from, until, page: 1, pageSize: maxResults }
    const asked = { ...cdrs, search, ofOthers: true, conditions: [`"${name}" = $id`], params: { id: value } }
    const [, sid] = ownerColumn(owner)
    return (await influx.search(asked, { owner: sid })).points.map(shown)
  },
})
