import type { FieldValue, Point } from './line-protocol.ts'

/**
 * Points of the measurements cdrs and alerts as records (api/4-calls-and-hosted.md §1.2 to §1.5). A value that no
 * store could hold is refused here, by its line: further on it would take the whole batch along.
 */

export interface CallRecord {
  /** of the attempt, nanoseconds since the epoch */
  time: bigint
  account_sid: string
  service_provider_sid: string | null
  call_sid: string | null
  direction: string | null
  answered: boolean
  /** epoch milliseconds */
  answered_at: number | null
  /** epoch milliseconds */
  terminated_at: number | null
  /** whole seconds from answer to end */
  duration: number
  from: string | null
  to: string | null
  host: string | null
  remote_host: string | null
  trunk: string | null
  application_sid: string | null
  sip_callid: string | null
  sip_parent_callid: string | null
  sip_status: number | null
  termination_reason: string | null
  trace_id: string | null
  recording_url: string | null
  cost: number | null
  rate: number | null
  billed_seconds: number | null
  /** what newer writers add */
  extra: Readonly<Record<string, FieldValue>>
}

export interface AlertRecord {
  /** nanoseconds since the epoch */
  time: bigint
  account_sid: string | null
  service_provider_sid: string | null
  alert_type: string
  message: string
  detail: string | null
  target_sid: string | null
  vendor: string | null
  extra: Readonly<Record<string, FieldValue>>
}

/** The reason names the member and what is wrong with it. */
export type Reading<T> = { ok: true; value: T } | { ok: false; reason: string }

/** What JavaScript takes for an instant, either side of the epoch. */
const maxDateMs = 8.64e15
const maxInteger = 2 ** 31 - 1
/** Longest identifiers, as the tables have them. */
const longest = { sid: 36, id: 64, direction: 16, vendor: 64 }

/** Writers say `undefined`, and in a tag `null`, where they have nothing (§1.3). */
const absent = (value: FieldValue, isTag: boolean): boolean => value === 'undefined' || (isTag && value === 'null')

/** What a point holds, as far as it matters here. */
export type Stored = Pick<Point, 'time' | 'tags' | 'fields'>

/** Reads named members of a point, notes the first that is wrong, and keeps what nobody asked for. */
class Members {
  readonly #tags = new Set<string>()
  readonly #left = new Map<string, FieldValue>()
  #problem: string | undefined

  constructor({ tags, fields }: Stored) {
    for (const [name, value] of Object.entries(fields)) if (!absent(value, false)) this.#left.set(name, value)
    // Where both have the name, the tag is what the platform's own queries go by.
    for (const [name, value] of Object.entries(tags)) {
      if (absent(value, true)) continue
      this.#left.set(name, value)
      this.#tags.add(name)
    }
  }

  #take(name: string): FieldValue | null {
    const value = this.#left.get(name) ?? null
    this.#left.delete(name)
    return value
  }

  #wrong(problem: string): null {
    this.#problem ??= problem
    return null
  }

  text(name: string, max = Number.POSITIVE_INFINITY): string | null {
    const value = this.#take(name)
    if (value === null) return null
    if (typeof value !== 'string') return this.#wrong(`${name} must be a text`)
    return value.length <= max ? value : this.#wrong(`${name} is longer than ${max} characters`)
  }

  /** Words for a reader, whatever they were written as. */
  words(name: string): string | null {
    const value = this.#take(name)
    return value === null ? null : String(value)
  }

  number(name: string): number | null {
    const value = this.#take(name)
    return value === null || typeof value === 'number' ? value : this.#wrong(`${name} must be a number`)
  }

  whole(name: string, max = maxInteger): number | null {
    const value = this.number(name)
    if (value === null) return null
    return Math.abs(value) <= max ? Math.round(value) : this.#wrong(`${name} is out of range`)
  }

  flag(name: string): boolean {
    const value = this.#take(name)
    if (value === null || value === false || value === 'false') return false
    if (value !== true && value !== 'true') this.#wrong(`${name} must be true or false`)
    return true
  }

  required(value: string | null, name: string): string {
    if (value === null) this.#wrong(`${name} is missing`)
    return value ?? ''
  }

  requiredTag(name: string, max: number): string {
    const isTag = this.#tags.has(name)
    const value = this.text(name, max)
    return this.required(isTag ? value : null, name)
  }

  rest(): Record<string, FieldValue> {
    return Object.fromEntries(this.#left)
  }

  reading<T>(value: T): Reading<T> {
    return this.#problem === undefined ? { ok: true, value } : { ok: false, reason: this.#problem }
  }
}

const callOf = (members: Members, time: bigint): CallRecord => ({
  time,
  account_sid: members.requiredTag('account_sid', longest.sid),
  service_provider_sid: members.text('service_provider_sid', longest.sid),
  call_sid: members.text('call_sid', longest.id),
  direction: members.text('direction', longest.direction),
  answered: members.flag('answered'),
  answered_at: members.whole('answered_at', maxDateMs),
  terminated_at: members.whole('terminated_at', maxDateMs),
  duration: members.whole('duration') ?? 0,
  from: members.text('from'),
  to: members.text('to'),
  host: members.text('host'),
  remote_host: members.text('remote_host'),
  trunk: members.text('trunk'),
  application_sid: members.text('application_sid', longest.id),
  sip_callid: members.text('sip_callid'),
  sip_parent_callid: members.text('sip_parent_callid'),
  sip_status: members.whole('sip_status'),
  termination_reason: members.text('termination_reason'),
  trace_id: members.text('trace_id', longest.id),
  recording_url: members.text('recording_url'),
  cost: members.number('cost'),
  rate: members.number('rate'),
  billed_seconds: members.whole('billed_seconds'),
  extra: members.rest(),
})

/** A point of cdrs. Without `answered` a call was not answered, without `duration` it lasted 0 seconds. */
export const callFromPoint = (point: Point): Reading<CallRecord> => {
  const members = new Members(point)
  return members.reading(callOf(members, point.time))
}

/** One that another store took, whatever it took: what is wrong with it is left out. */
export const callOfPoint = (point: Stored): CallRecord => callOf(new Members(point), point.time)

const alertOf = (members: Members, time: bigint): AlertRecord => {
  const alert_type = members.required(members.text('alert_type', longest.id), 'alert_type')
  return {
    time,
    account_sid: members.text('account_sid', longest.sid),
    service_provider_sid: members.text('service_provider_sid', longest.sid),
    alert_type,
    message: members.words('message') || alert_type,
    detail: members.words('detail'),
    target_sid: members.text('target_sid', longest.id),
    // An alert is worth more than the end of a vendor's name.
    vendor: members.words('vendor')?.slice(0, longest.vendor) ?? null,
    extra: members.rest(),
  }
}

/** A point of alerts. The set of types is open; without a message the type stands for it, as writers do it (§1.5). */
export const alertFromPoint = (point: Point): Reading<AlertRecord> => {
  const members = new Members(point)
  return members.reading(alertOf(members, point.time))
}

/** One that another store took, as `callOfPoint`. */
export const alertOfPoint = (point: Stored): AlertRecord => alertOf(new Members(point), point.time)
