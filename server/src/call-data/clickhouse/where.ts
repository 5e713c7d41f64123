import type { SelectedResult } from '@patchbay/contract/shared/call-results'
import { areDurationsCounted } from '@patchbay/rules/calls/call-durations'
import { toResultCondition } from '@patchbay/rules/calls/call-result'
import type { CallFilter, NumberPart } from '../calls/calls.ts'
import { internationalPrefixes, isNumber } from '../calls/calls.ts'
import { allTime, type CallOwner, ownerColumn, toWindow, type Window } from '../calls/search-options.ts'
import type { Parameters } from './clickhouse.ts'
import { containsPattern, isIndexed, toPattern } from './number-index.ts'
import { durationClass } from './schema.ts'

/** The conditions of a search, and the values of their parameters. */
export interface Where {
  conditions: string[]
  parameters: Parameters
}

const perMillisecond = 1_000_000n
const maxNanoseconds = 2n ** 63n - 1n
const minNanoseconds = -(2n ** 63n)

const inRange = (value: bigint): bigint =>
  value < minNanoseconds ? minNanoseconds : value > maxNanoseconds ? maxNanoseconds : value

/** Returns the first and the last nanosecond of a window. */
const toNanoseconds = ({ from, until }: Window) => ({
  from: inRange(BigInt(from) * perMillisecond),
  until: inRange(BigInt(until) * perMillisecond + perMillisecond - 1n),
})

/**
 * Returns the condition of a time window. Both ends are inclusive.
 * @param column contains nanoseconds since the Unix epoch
 */
export const inWindow = (window: Window, column = 'attempted_at'): Where => {
  const { from, until } = toNanoseconds(window)
  return {
    conditions: [
      ...(window.from > allTime.from ? [`${column} >= {from:Int64}`] : []),
      ...(window.until < allTime.until ? [`${column} <= {until:Int64}`] : []),
    ],
    parameters: {
      ...(window.from > allTime.from ? { from } : {}),
      ...(window.until < allTime.until ? { until } : {}),
    },
  }
}

/** Returns the condition that calls belong to an owner. */
export const ofOwner = (owner: CallOwner): Where => {
  const [column, sid] = ownerColumn(owner)
  return { conditions: [`${column} = {owner:String}`], parameters: { owner: sid } }
}

/** Joins conditions that must all match. */
export const joinConditions = (...parts: readonly Where[]): Where => ({
  conditions: parts.flatMap(({ conditions }) => conditions),
  parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)) as Parameters,
})

export const writeConditions = ({ conditions }: Where): string =>
  conditions.length === 0 ? 'true' : conditions.join(' AND ')

const numberCondition = ({ isStart }: NumberPart): string => {
  const matches = (column: string) =>
    isStart
      ? internationalPrefixes
          .map((prefix) => `startsWith(${column}, concat('${prefix}', {number:String}))`)
          .join(' OR ')
      : `position(${column}, {number:String}) > 0`
  return `(ifNull(${matches('from')}, false) OR ifNull(${matches('to')}, false))`
}

/** Only a text that is no number can be a part of a carrier's name. */
const textCondition = (text: string): string => {
  const matches = [
    'ifNull(position(from, {text:String}) > 0, false)',
    'ifNull(position(to, {text:String}) > 0, false)',
    '(has_call_sid AND call_key = {text:String})',
    ...(isNumber(text) ? [] : ['ifNull(position(trunk, {text:String}) > 0, false)']),
  ]
  return `(${matches.join(' OR ')})`
}

const resultConditions = (result: SelectedResult | undefined): string[] => {
  if (result === undefined) return []
  const { answered, status } = toResultCondition(result)
  const condition = `answered = ${answered}`
  if (status === undefined) return [condition]
  return 'in' in status
    ? [condition, `sip_status IN (${status.in.join()})`]
    : [
        condition,
        `sip_status BETWEEN ${status.from} AND ${status.until}`,
        `sip_status NOT IN (${status.except.join()})`,
      ]
}

/** Returns the condition of a status, of which 0 is every unknown one. */
const statusCondition = (status: number): string =>
  status === 0 ? 'if(sip_status BETWEEN 1 AND 999, sip_status, 0) = 0' : 'sip_status = {sip_status:Int32}'

/** Returns the conditions of the filters for which `call_hours` has columns. */
export const countedFilters = ({ trunk, direction, answered, sip_status, result }: CallFilter): Where => ({
  conditions: [
    ...(trunk ? ['trunk = {trunk:String}'] : []),
    ...(direction ? ['direction = {direction:String}'] : []),
    ...(answered === undefined ? [] : [`answered = ${answered}`]),
    ...(sip_status === undefined ? [] : [statusCondition(sip_status)]),
    ...resultConditions(result),
  ],
  parameters: {
    ...(trunk ? { trunk } : {}),
    ...(direction ? { direction } : {}),
    ...(sip_status ? { sip_status } : {}),
  },
})

/** Returns the conditions of all filters of a search except its owner, time, and text. */
export const matchesFilters = (search: CallFilter): Where => {
  const { min_duration, max_duration, application_sid, number } = search
  return joinConditions(countedFilters(search), {
    conditions: [
      ...(min_duration === undefined ? [] : ['duration >= {min_duration:Int64}']),
      ...(max_duration === undefined ? [] : ['duration <= {max_duration:Int64}']),
      ...(application_sid === undefined ? [] : ['application_sid = {application_sid:String}']),
      ...(number === undefined ? [] : [numberCondition(number)]),
    ],
    parameters: {
      ...(min_duration === undefined ? {} : { min_duration }),
      ...(max_duration === undefined ? {} : { max_duration }),
      ...(application_sid === undefined ? {} : { application_sid }),
      ...(number === undefined ? {} : { number: number.text }),
    },
  })
}

export const noConditions: Where = { conditions: [], parameters: {} }

const matchesText = ({ text }: CallFilter): Where =>
  text ? { conditions: [textCondition(text)], parameters: { text } } : noConditions

/** Returns the conditions of a search in a window. */
export const matching = (search: CallFilter, window: Window = toWindow(search)): Where =>
  joinConditions(ofOwner(search.owner), inWindow(window), matchesFilters(search), matchesText(search))

/**
 * Returns the conditions of a search that uses the index of numbers, or undefined if the index finds neither its text nor
 * its number. The caller knows that the text is neither an ID nor a part of a carrier's name.
 */
export const matchingByIndex = (search: CallFilter): Where | undefined => {
  const text = search.text && isIndexed(search.text) ? search.text : undefined
  const number = search.number && isIndexed(search.number.text) ? search.number.text : undefined
  if (text === undefined && number === undefined) return undefined
  return joinConditions(
    matching(text === undefined ? search : { ...search, text: '' }),
    text === undefined
      ? noConditions
      : { conditions: [containsPattern('text_pattern')], parameters: { text_pattern: toPattern(text) } },
    number === undefined
      ? noConditions
      : { conditions: [containsPattern('number_pattern')], parameters: { number_pattern: toPattern(number) } },
  )
}

/** Returns whether a search filters by duration, for which `call_hours` has no column. */
export const filtersDuration = ({ min_duration, max_duration }: CallFilter): boolean =>
  min_duration !== undefined || max_duration !== undefined

/** Returns the condition of a filter by counted durations, for a read from the projection `by_outcome`. */
export const ofDurationClass = ({ min_duration = 0, max_duration }: CallFilter): Where => ({
  conditions: [
    `${durationClass} >= {min_duration:Int64}`,
    ...(max_duration === undefined ? [] : [`${durationClass} <= {max_duration:Int64}`]),
  ],
  parameters: { min_duration, ...(max_duration === undefined ? {} : { max_duration }) },
})

/** Returns whether neither `call_hours` nor the projection `by_outcome` can count the matches. */
export const needsScan = (search: CallFilter): boolean => {
  const { text, number, application_sid, sip_status } = search
  if (text || number !== undefined || application_sid !== undefined || !areDurationsCounted(search)) return true
  // Other numbers are counted as unknown.
  return sip_status !== undefined && (sip_status < 1 || sip_status > 999)
}
