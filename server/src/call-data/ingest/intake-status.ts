import type { OpenCallDataSinks } from '../call-data-sinks.ts'
import { createRejectedSenders, type RejectedSenders } from './rejected-senders.ts'
import { createUnstoredCounts, type UnstoredCounts } from './unstored-records.ts'

/** Whether the intakes of this process listen, for the system status. */

export type IntakeName = 'influx' | 'otlp' | 'hep'

/** `failed` has the error code of listening, such as `EADDRINUSE`. */
export type IntakeState = { is: 'listening' } | { is: 'failed'; code: string }

type GetWaitingBytes = OpenCallDataSinks['getWaitingBytes']

export interface IntakeStatus {
  set(name: IntakeName, state: IntakeState): void
  /** Returns undefined if the intake is disabled or has not started yet. */
  get(name: IntakeName): IntakeState | undefined
  /** The senders whose data this process has rejected. */
  rejectedSenders: Readonly<Record<IntakeName, RejectedSenders>>
  /** The packets of captured SIP that this process could not store. */
  unstored: UnstoredCounts
  /** Sets the function that returns the bytes of call data that wait on the disk of this process. */
  watchWaiting(getBytes: GetWaitingBytes): void
  getWaitingBytes: GetWaitingBytes
  /** Notes that a recording has arrived. */
  markRecording(): void
  /** Returns when this process received its last recording, in epoch milliseconds, or null. */
  lastRecordingAt(): number | null
}

/** Creates the status of intakes that have not started. */
export const createIntakeStatus = (): IntakeStatus => {
  const states = new Map<IntakeName, IntakeState>()
  let recordingAt: number | null = null
  let getWaitingBytes: GetWaitingBytes = () => 0
  return {
    set: (name, state) => void states.set(name, state),
    get: (name) => states.get(name),
    rejectedSenders: { influx: createRejectedSenders(), otlp: createRejectedSenders(), hep: createRejectedSenders() },
    unstored: createUnstoredCounts(),
    watchWaiting: (getBytes) => {
      getWaitingBytes = getBytes
    },
    getWaitingBytes: (kind) => getWaitingBytes(kind),
    markRecording: () => {
      recordingAt = Date.now()
    },
    lastRecordingAt: () => recordingAt,
  }
}
