import type { AlertRecord } from '../alerts/alert-record.ts'
import type { CallRating, CallRecord } from '../calls/call-record.ts'
import type { FieldValue, Point } from './line-protocol.ts'

/**
 * Conversion of points of the measurements cdrs and alerts to records
 * (docs/reference/platform-api/call-records.md#influxdb). A value that no store can hold is rejected here for its line
 * only; in the database it would fail the whole batch.
 */

/** `reason` names the field and the problem. */
export type ParseResult<T> = { ok: true; value: T } | { ok: false; reason: string }

/** Maximum absolute time value of a JavaScript Date. */
const maxDateMs = 8.64e15
const maxInteger = 2 ** 31 - 1
/** Column sizes of identifiers. */
const maxLengths = { sid: 36, id: 64, direction: 16, vendor: 64 }

/**
 * Writers send `undefined`, and `null` in tags, for missing values
 * (docs/reference/platform-api/call-records.md#influxdb).
 */
const isAbsent = (value: FieldValue, isTag: boolean): boolean => value === 'undefined' || (isTag && value === 'null')

/** The parts of a point that are converted. */
export type PointData = Pick<Point, 'time' | 'tags' | 'fields'>

/** Reads the members of a point by name, and records the first problem. */
class PointReader {
  readonly #tags: PointData['tags']
  readonly #fields: PointData['fields']
  #problem: string | undefined

  constructor({ tags, fields }: PointData) {
    this.#tags = tags
    this.#fields = fields
  }

  #getTag(name: string): string | undefined {
    const value = this.#tags.get(name)
    return value === undefined || isAbsent(value, true) ? undefined : value
  }

  /** If a tag and a field have the same name, the tag wins because jambonz queries by tag. */
  #get(name: string): FieldValue | null {
    const tag = this.#getTag(name)
    if (tag !== undefined) return tag
    const field = this.#fields.get(name)
    return field === undefined || isAbsent(field, false) ? null : field
  }

  #wrong(problem: string): null {
    this.#problem ??= problem
    return null
  }

  text(name: string, max = Number.POSITIVE_INFINITY): string | null {
    const value = this.#get(name)
    if (value === null) return null
    if (typeof value !== 'string') return this.#wrong(`${name} must be a text`)
    return value.length <= max ? value : this.#wrong(`${name} is longer than ${max} characters`)
  }

  /** Text for display. Converts values of any type. */
  displayText(name: string): string | null {
    const value = this.#get(name)
    return value === null ? null : String(value)
  }

  number(name: string): number | null {
    const value = this.#get(name)
    return value === null || typeof value === 'number' ? value : this.#wrong(`${name} must be a number`)
  }

  whole(name: string, max = maxInteger): number | null {
    const value = this.number(name)
    if (value === null) return null
    return Math.abs(value) <= max ? Math.round(value) : this.#wrong(`${name} is out of range`)
  }

  flag(name: string): boolean {
    const value = this.#get(name)
    if (value === null || value === false || value === 'false') return false
    if (value !== true && value !== 'true') this.#wrong(`${name} must be true or false`)
    return true
  }

  required(value: string | null, name: string): string {
    if (value === null) this.#wrong(`${name} is missing`)
    return value ?? ''
  }

  requiredTag(name: string, max: number): string {
    const value = this.text(name, max)
    return this.required(this.#getTag(name) === undefined ? null : value, name)
  }

  /** Returns the members whose names a record does not have. */
  without(record: object): Record<string, FieldValue> {
    const names = new Set([...this.#fields.keys(), ...this.#tags.keys()])
    const others = [...names].filter((name) => !Object.hasOwn(record, name))
    return Object.fromEntries(
      others.flatMap((name) => {
        const value = this.#get(name)
        return value === null ? [] : [[name, value]]
      }),
    )
  }

  reading<T>(value: T): ParseResult<T> {
    return this.#problem === undefined ? { ok: true, value } : { ok: false, reason: this.#problem }
  }
}

/** The members have the names of the API of jambonz, so a record also says which of them have been read. */
const readCall = (members: PointReader): Omit<CallRecord, 'time' | 'extra'> => ({
  account_sid: members.requiredTag('account_sid', maxLengths.sid),
  service_provider_sid: members.text('service_provider_sid', maxLengths.sid),
  call_sid: members.text('call_sid', maxLengths.id),
  direction: members.text('direction', maxLengths.direction),
  answered: members.flag('answered'),
  answered_at: members.whole('answered_at', maxDateMs),
  terminated_at: members.whole('terminated_at', maxDateMs),
  duration: members.whole('duration') ?? 0,
  from: members.text('from'),
  to: members.text('to'),
  host: members.text('host'),
  remote_host: members.text('remote_host'),
  trunk: members.text('trunk'),
  application_sid: members.text('application_sid', maxLengths.id),
  sip_callid: members.text('sip_callid'),
  sip_parent_callid: members.text('sip_parent_callid'),
  sip_status: members.whole('sip_status'),
  termination_reason: members.text('termination_reason'),
  trace_id: members.text('trace_id', maxLengths.id),
  recording_url: members.text('recording_url'),
  cost: members.number('cost'),
  rate: members.number('rate'),
  billed_seconds: members.whole('billed_seconds'),
})

const toCallRecord = (members: PointReader, time: bigint): CallRecord => {
  const call = readCall(members)
  return { ...call, time, extra: members.without(call) }
}

/** Converts a point of cdrs. Missing `answered` means false, missing `duration` means 0 seconds. */
export const parseCallPoint = (point: Point): ParseResult<CallRecord> => {
  const members = new PointReader(point)
  return members.reading(toCallRecord(members, point.time))
}

/** Returns whether a record says which call it describes, by an id or a number. */
const isIdentified = ({ call_sid, sip_callid, from, to }: CallRecord): boolean =>
  [call_sid, sip_callid, from, to].some((value) => value !== null && value !== '')

const isRating = ({ cost, rate, billed_seconds }: CallRecord): boolean =>
  cost !== null || rate !== null || billed_seconds !== null

/**
 * Converts a point of cdrs to a call, or to the rating of one. A point without call, numbers, and Call-ID is no call:
 * `writeRatedCdrs` of @jambonz/time-series writes such points to add the cost to the call with the same tags and time.
 */
export const parseCdrPoint = (
  point: Point,
): ParseResult<{ is: 'call'; call: CallRecord } | { is: 'rating'; rating: CallRating }> => {
  const result = parseCallPoint(point)
  if (!result.ok) return result
  const call = result.value
  if (isIdentified(call)) return { ok: true, value: { is: 'call', call } }
  return isRating(call)
    ? { ok: true, value: { is: 'rating', rating: call } }
    : { ok: false, reason: 'the call is unknown: call_sid, sip_callid, from, and to are missing' }
}

/** Converts a point from another store, which may contain invalid values. Invalid values are dropped. */
export const toCallRecordLenient = (point: PointData): CallRecord => toCallRecord(new PointReader(point), point.time)

const readAlert = (members: PointReader): Omit<AlertRecord, 'time' | 'extra'> => {
  const alert_type = members.required(members.text('alert_type', maxLengths.id), 'alert_type')
  return {
    account_sid: members.text('account_sid', maxLengths.sid),
    service_provider_sid: members.text('service_provider_sid', maxLengths.sid),
    alert_type,
    message: members.displayText('message') || alert_type,
    detail: members.displayText('detail'),
    target_sid: members.text('target_sid', maxLengths.id),
    // A long vendor name is truncated so that the alert is not lost.
    vendor: members.displayText('vendor')?.slice(0, maxLengths.vendor) ?? null,
  }
}

const toAlertRecord = (members: PointReader, time: bigint): AlertRecord => {
  const alert = readAlert(members)
  return { ...alert, time, extra: members.without(alert) }
}

/**
 * Converts a point of alerts. Any type is accepted. A missing message is replaced by the type, as writers do
 * (docs/reference/platform-api/call-records.md#alert-types).
 */
export const parseAlertPoint = (point: Point): ParseResult<AlertRecord> => {
  const members = new PointReader(point)
  return members.reading(toAlertRecord(members, point.time))
}

/** Converts a point from another store, like `toCallRecordLenient`. */
export const toAlertRecordLenient = (point: PointData): AlertRecord => toAlertRecord(new PointReader(point), point.time)
