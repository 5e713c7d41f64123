import { channel } from 'node:diagnostics_channel'

export type Unsubscribe = () => void

/**
 * Events that metrics are computed from. Without a subscriber, an event costs one comparison, so code may check
 * `isObserved` before it measures anything. Fields that become labels have few values: no ids and no user input.
 */
export interface TelemetryEvent<T> {
  /** Whether anything subscribes to the event. */
  readonly isObserved: boolean
  publish(event: T): void
  /** Calls the listener with each event. Returns a function that ends the subscription. */
  subscribe(listener: (event: T) => void): Unsubscribe
}

const createEvent = <T>(name: string): TelemetryEvent<T> => {
  const events = channel(`patchbay:${name}`)
  return {
    get isObserved() {
      return events.hasSubscribers
    },
    publish(event) {
      if (events.hasSubscribers) events.publish(event)
    },
    subscribe(listener) {
      // Only this module publishes to the channel, so its messages have this type.
      const receive = (message: unknown) => listener(message as T)
      events.subscribe(receive)
      return () => {
        events.unsubscribe(receive)
      }
    },
  }
}

/** An HTTP request starts or ends. Its status is null if its client has disconnected before the response began. */
export type RequestEvent =
  | { is: 'started' }
  | { is: 'finished'; method: string; route: string; status: number | null; seconds: number }
export const requestEvents = createEvent<RequestEvent>('request')

/** A limit rejects a request. */
export interface LimitEvent {
  limit: 'address_concurrency' | 'address_rate' | 'caller_rate'
}
export const limitEvents = createEvent<LimitEvent>('limit')

/** A statement ends. The duration includes the wait for the write lock of SQLite. */
export interface QueryEvent {
  pool: string
  sql: string
  seconds: number
  hasFailed: boolean
}
export const queryEvents = createEvent<QueryEvent>('query')

/** A transaction is repeated after a conflict, or its outcome is unknown. */
export interface TransactionEvent {
  is: 'retried' | 'unknown'
}
export const transactionEvents = createEvent<TransactionEvent>('transaction')

/** A step of a queue starts to wait, starts, or ends, or a job is rejected. `waitedMs` is the time in the queue. */
export type QueueEvent = { queue: string } & (
  | { is: 'waiting' | 'finished' | 'canceled' | 'rejected' }
  | { is: 'started'; waitedMs: number }
)
export const queueEvents = createEvent<QueueEvent>('queue')

export type IntakeLabel = 'influx' | 'otlp' | 'hep' | 'recordings' | 'agent_events'
export type IntakeData = 'calls' | 'alerts' | 'spans' | 'log_lines' | 'sip_messages' | 'recordings' | 'agent_events'
export type RejectionReason =
  | 'busy'
  | 'failed'
  | 'ignored'
  | 'incomplete'
  | 'invalid'
  | 'no_address'
  | 'no_call_id'
  | 'not_allowed'
  | 'not_found'
  | 'other_protocol'
  | 'quota'
  | 'repeated'
  | 'too_large'
  | 'unknown_sender'

/** An intake receives bytes, rejects a request, or stores or rejects records. */
export type IntakeEvent =
  | { is: 'received'; intake: IntakeLabel; bytes: number }
  | { is: 'request_rejected'; intake: IntakeLabel; reason: RejectionReason }
  | { is: 'stored'; data: IntakeData; count: number }
  | { is: 'rejected'; data: IntakeData; reason: RejectionReason; count: number }
export const intakeEvents = createEvent<IntakeEvent>('intake')

/** An outgoing request receives the head of its response, or fails. */
export interface OutgoingEvent {
  service: string
  result: string
  seconds: number
}
export const outgoingEvents = createEvent<OutgoingEvent>('outgoing')

/** A run of a periodic job ends. */
export interface JobEvent {
  job: string
  seconds: number
  hasFailed: boolean
}
export const jobEvents = createEvent<JobEvent>('job')

/** An audit entry is committed. */
export interface AuditEvent {
  action: string
}
export const auditEvents = createEvent<AuditEvent>('audit')

/** Programs that run in processes of their own (helper-process.ts). */
export type HelperName = 'masking' | 'mp3_encoding' | 'voice_detection'

/** A helper process ends while it is needed: by itself, or because its work exceeded a time limit. */
export interface HelperEvent {
  helper: HelperName
  reason: 'died' | 'timeout'
  /** The signal or the exit code, for the log. */
  detail: string
  /** The end of what the process wrote to its error output. Absent if it wrote nothing. */
  output?: string
}
export const helperEvents = createEvent<HelperEvent>('helper')
