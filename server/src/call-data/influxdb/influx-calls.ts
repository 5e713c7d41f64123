import type { Call } from '@patchbay/contract/recent-calls'
import type { SelectedResult } from '@patchbay/contract/shared/call-results'
import { toResultCondition } from '@patchbay/rules/calls/call-result'
import {
  type CallId,
  type CallSearch,
  type Calls,
  idColumn,
  isNumber,
  maxResults,
  type NumberPart,
  searchEach,
} from '../calls/calls.ts'
import { split, writeInstant } from '../calls/nanosecond-timestamps.ts'
import { allTime, type CallOwner, ownerColumn, type Window } from '../calls/search-options.ts'
import { toCall } from '../calls/to-call.ts'
import { type PointData, toCallRecordLenient } from '../ingest/parse-call-point.ts'
import { type InfluxDb, toInfluxPattern } from './influxdb.ts'

/** Returns the conditions of which one must match. Only a text that is no number can be a part of a carrier's name. */
const buildTextMatches = (text: string): string[] => {
  const pattern = toInfluxPattern(text)
  return [
    `"from" =~ ${pattern}`,
    `"to" =~ ${pattern}`,
    '"call_sid" = $text',
    '"sip_callid" = $text',
    ...(isNumber(text) ? [] : [`"trunk"::tag =~ ${pattern}`]),
  ]
}

const buildNumberMatch = ({ text, isStart }: NumberPart): string => {
  const pattern = isStart ? `/^(\\x{2b}|00)?${toInfluxPattern(text).slice(1)}` : toInfluxPattern(text)
  return `("from" =~ ${pattern} OR "to" =~ ${pattern})`
}

/** 0 is every unknown status. jambonz writes the field with each call. */
const buildStatusMatch = (status: number): string =>
  status === 0 ? '("sip_status" < 1 OR "sip_status" > 999)' : `"sip_status" = ${status}`

const buildResultMatches = (result: SelectedResult): string[] => {
  const { answered, status } = toResultCondition(result)
  const match = `"answered"::tag = '${answered}'`
  if (status === undefined) return [match]
  return 'in' in status
    ? [match, `(${status.in.map((one) => `"sip_status" = ${one}`).join(' OR ')})`]
    : [
        match,
        `"sip_status" >= ${status.from}`,
        `"sip_status" <= ${status.until}`,
        ...status.except.map((one) => `"sip_status" != ${one}`),
      ]
}

const buildFilters = (search: CallSearch) => {
  const { trunk, direction, answered, sip_status, result, min_duration, max_duration, application_sid } = search
  const { number, text } = search
  const exactMatches = {
    ...(trunk ? { trunk } : {}),
    ...(direction ? { direction } : {}),
    ...(answered === undefined ? {} : { answered: String(answered) }),
  }
  return {
    conditions: [
      ...Object.keys(exactMatches).map((tag) => `"${tag}"::tag = $${tag}`),
      ...(sip_status === undefined ? [] : [buildStatusMatch(sip_status)]),
      ...(result === undefined ? [] : buildResultMatches(result)),
      ...(min_duration === undefined ? [] : [`"duration" >= ${min_duration}`]),
      ...(max_duration === undefined ? [] : [`"duration" <= ${max_duration}`]),
      ...(application_sid ? ['"application_sid" = $application_sid'] : []),
      ...(number ? [buildNumberMatch(number)] : []),
      ...(text ? [`(${buildTextMatches(text).join(' OR ')})`] : []),
    ],
    params: { ...exactMatches, ...(application_sid ? { application_sid } : {}), ...(text ? { text } : {}) },
  }
}

const pointToCall = (point: PointData): Call => {
  const { milliseconds, nanoseconds } = split(point.time)
  return toCall(toCallRecordLenient(point), writeInstant(milliseconds, nanoseconds))
}

/** Default row limit of an InfluxDB response. */
const streamBatchSize = 5000

/** jambonz counts by sip_callid, which some calls do not have. */
const cdrs = { measurement: 'cdrs', counted: ['sip_callid', 'duration'] } as const

/** Returns calls with an id: those of the owner, or those of other tenants. */
const selectById = async (
  influx: InfluxDb,
  owner: CallOwner,
  id: CallId,
  { window, ofOthers }: { window: Window; ofOthers: boolean },
): Promise<Call[]> => {
  const [name, value] = idColumn(id)
  const search = { owner, ...window, page: 1, pageSize: maxResults }
  const query = { ...cdrs, search, ofOthers, conditions: [`"${name}" = $id`], params: { id: value } }
  const [, sid] = ownerColumn(owner)
  return (await influx.search(query, { owner: sid })).points.map(pointToCall)
}

/** Creates the search of call records that jambonz itself writes to InfluxDB. */
export const createInfluxCalls = (influx: InfluxDb): Calls => ({
  async search(search, searcher) {
    const { total, points } = await influx.search({ ...cdrs, search, ...buildFilters(search) }, searcher)
    return { total, calls: points.map(pointToCall) }
  },
  async *walk(search, searcher) {
    // A fixed end time keeps the pages consistent while new calls arrive.
    const until = Math.min(search.until ?? allTime.until, Date.now())
    for (let page = 1; ; page += 1) {
      const query = { ...cdrs, search: { ...search, until, page, pageSize: streamBatchSize } }
      const { points } = await influx.search({ ...query, ...buildFilters(query.search) }, searcher)
      if (points.length > 0) yield points.map(pointToCall)
      if (points.length < streamBatchSize) return
    }
  },
  find: (owner, id) => selectById(influx, owner, id, { window: allTime, ofOthers: false }),
  findEach: (owner, ids) =>
    searchEach(ids, (id) => selectById(influx, owner, id, { window: allTime, ofOthers: false })),
  findForeign: (owner, ids, window) =>
    searchEach(ids, (id) => selectById(influx, owner, id, { window, ofOthers: true })),
})
