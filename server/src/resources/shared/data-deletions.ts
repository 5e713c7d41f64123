import { randomUUID } from 'node:crypto'
import { noLease } from '../../database/leases.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Requests deletions of call data, which a job completes (jobs/delete-call-data.ts). */

type DataOwner = { account_sid: string } | { service_provider_sid: string }

/** Returns the name of the author, or null for Patchbay itself. */
const getName = ({ author }: WriteTransaction): string | null =>
  author === 'patchbay' || author.token === 'nobody' ? null : author.name

/**
 * Stores a request to delete call data in the transaction, and returns its SID.
 * @param before start of the first UTC day whose data is kept, in milliseconds since the Unix epoch. Undefined for all
 *   data of an owner that the same transaction deletes
 */
export const requestDataDeletion = async (
  write: WriteTransaction,
  owner: DataOwner,
  before: number | undefined,
): Promise<string> => {
  const data_deletion_sid = randomUUID()
  const now = Date.now()
  const row = {
    data_deletion_sid,
    ...owner,
    before_at: before ?? null,
    requested_at: now,
    requested_by: getName(write),
    runs: 0,
    due_at: now,
    ...noLease,
    failures: 0,
    progress: '{}',
    deleted: '{}',
  }
  await write.trx.insertInto('patchbay_data_deletions').values(row).execute()
  return data_deletion_sid
}
