import type { FieldValue, Point } from './line-protocol.ts'

/** Points of the measurements cdrs and alerts as records (api/4-calls-and-hosted.md §1.2 to §1.5). */

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

export type Reading<T> = { ok: true; value: T } | { ok: false; reason: string }

class Unfit extends Error {}

/** Reads named members of a point and keeps what nobody asked for. Writers say `undefined` where they have nothing. */
class Members {
  readonly #left = new Map<string, FieldValue>()

  constructor({ tags, fields }: Point) {
    for (const [name, value] of [...Object.entries(tags), ...Object.entries(fields)])
      if (value !== 'undefined' && value !== 'null') this.#left.set(name, value)
  }

  #take(name: string): FieldValue | undefined {
    const value = this.#left.get(name)
    this.#left.delete(name)
    return value
  }

  text(name: string): string | null {
    const value = this.#take(name)
    return value === undefined ? null : String(value)
  }

  number(name: string): number | null {
    const value = this.#take(name)
    if (value === undefined) return null
    if (typeof value !== 'number') throw new Unfit(`${name} must be a number`)
    return value
  }

  whole(name: string): number | null {
    const value = this.number(name)
    return value === null ? null : Math.round(value)
  }

  yes(name: string): boolean {
    const value = this.#take(name)
    return value === true || value === 'true'
  }

  rest(): Record<string, FieldValue> {
    return Object.fromEntries(this.#left)
  }
}

const reading = <T>(read: () => T): Reading<T> => {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, reason: error.message }
    throw error
  }
}

const required = (value: string | null, name: string): string => {
  if (value === null) throw new Unfit(`${name} is missing`)
  return value
}

export const callFromPoint = (point: Point): Reading<CallRecord> =>
  reading(() => {
    const members = new Members(point)
    return {
      time: point.time,
      account_sid: required(members.text('account_sid'), 'account_sid'),
      service_provider_sid: members.text('service_provider_sid'),
      call_sid: members.text('call_sid'),
      direction: members.text('direction'),
      answered: members.yes('answered'),
      answered_at: members.whole('answered_at'),
      terminated_at: members.whole('terminated_at'),
      duration: members.whole('duration') ?? 0,
      from: members.text('from'),
      to: members.text('to'),
      host: members.text('host'),
      remote_host: members.text('remote_host'),
      trunk: members.text('trunk'),
      application_sid: members.text('application_sid'),
      sip_callid: members.text('sip_callid'),
      sip_parent_callid: members.text('sip_parent_callid'),
      sip_status: members.whole('sip_status'),
      termination_reason: members.text('termination_reason'),
      trace_id: members.text('trace_id'),
      recording_url: members.text('recording_url'),
      cost: members.number('cost'),
      rate: members.number('rate'),
      billed_seconds: members.whole('billed_seconds'),
      extra: members.rest(),
    }
  })

export const alertFromPoint = (point: Point): Reading<AlertRecord> =>
  reading(() => {
    const members = new Members(point)
    const alert_type = required(members.text('alert_type'), 'alert_type')
    return {
      time: point.time,
      account_sid: members.text('account_sid'),
      service_provider_sid: members.text('service_provider_sid'),
      alert_type,
      message: members.text('message') ?? alert_type,
      detail: members.text('detail'),
      target_sid: members.text('target_sid'),
      vendor: members.text('vendor'),
      extra: members.rest(),
    }
  })
