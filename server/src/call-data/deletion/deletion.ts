import type { DeletedKind } from '@patchbay/contract/data-deletions'

/** The deletion of the call data of an account, or of a deleted service provider, in steps. */

export interface DeletionScope {
  owner: 'account_sid' | 'service_provider_sid'
  sid: string
  /**
   * Start of the first UTC day whose data is kept, in milliseconds since the Unix epoch. It is not after today, so that
   * new calls change none of the deleted counts. Undefined for all data of an owner that was deleted.
   */
  before: number | undefined
  /** Identifies the run, so that a store recognizes a change that is repeated after a kill. */
  run: string
  /** Whether recordings in the storage of the account stay there, because it does not respond. */
  skipsStorage: boolean
}

export type DeletedRows = Partial<Record<DeletedKind, number>>

/** The result of a part of a step. */
export interface StepResult {
  deleted: DeletedRows
  /** Start of the next part, as JSON. Undefined if it is complete. */
  position: unknown
}

export interface DeletionStep {
  /** Identifies the step in the database. */
  name: string
  /**
   * Deletes a bounded number of rows. Can run again from the same position after a kill.
   * @param position of the previous result, or undefined at the start
   * @throws an error of the store. The step is then repeated later
   */
  run(scope: DeletionScope, position: unknown, signal: AbortSignal): Promise<StepResult>
}

/** Creates a step without a position, which is complete when there is nothing left to delete. */
export const createRepeatedStep = (
  name: string,
  kind: DeletedKind,
  remove: (scope: DeletionScope) => Promise<number>,
): DeletionStep => ({
  name,
  async run(scope) {
    const count = await remove(scope)
    return { deleted: { [kind]: count }, position: count === 0 ? undefined : {} }
  },
})

/** A call whose details are deleted. */
export interface DeletedCall {
  call_sid: string | null
  sip_callid: string | null
  sip_parent_callid: string | null
  trace_id: string | null
  recording_url: string | null
}

/** Deletes recordings. */
export interface DeletableRecordings {
  /** Deletes the files of an account in the data folder, those of the days before a time, or all. */
  deleteFiles(account_sid: string, before: number | undefined, signal: AbortSignal): Promise<void>
  /**
   * Deletes the recordings of calls in the storage of an account, if it has one. Returns the number of recordings.
   * @throws ApiError `recordings_unavailable` if the storage does not respond
   */
  deleteStored(account_sid: string, calls: readonly DeletedCall[]): Promise<number>
}
