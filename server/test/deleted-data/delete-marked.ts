import { randomBytes } from 'node:crypto'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import type { Answer, TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { expect } from 'vitest'
import { runDeletions } from '../deletion-support.ts'
import {
  findDeletedValues,
  findInFiles,
  findTables,
  getEnd,
  overwritesDeletedRows,
  readStored,
} from './stored-values.ts'

/** Deletes marked data, and searches for it in the tables and files of the database and in the data folder. */

/** Tables that contain deleted data by intention, with the reason (docs/how-to/delete-call-data.md). */
export const remains = {
  patchbay_audit_trail: 'shows who deleted what, with its values, until AUDIT_TRAIL_DAYS deletes the entry',
  patchbay_audit_latest: 'contains the latest entries of the audit trail on SQLite',
  patchbay_reviews: 'shows who reviewed a call after the user is deleted, until the data of the call is deleted',
  patchbay_alert_acknowledgments: 'shows who acknowledged alerts after the user is deleted, as long as the alerts',
  patchbay_data_deletions: 'shows who requested a deletion, for a year',
} as const
type Remaining = keyof typeof remains

const auditTables: readonly string[] = ['patchbay_audit_trail', 'patchbay_audit_latest'] satisfies Remaining[]

/** Returns a text that nothing else contains. It is a valid name, user part, and label of a host name. */
export const createMark = (): string => `mark${randomBytes(12).toString('hex').replaceAll(/\d/g, 'x')}`

export const expectDone = ({ status, text }: Answer): void => {
  expect([status < 300, text]).toEqual([true, status < 300 ? text : ''])
}

/**
 * Deletes something, and expects that the files contain neither its mark nor a value that is in no row any more. Returns
 * the tables that contain the mark after the deletion, without the audit trail, which it expires then.
 */
export const deleteMarked = async (api: TestApi, mark: string, remove: () => Promise<unknown>): Promise<string[]> => {
  await api.services.trail.flush()
  const before = await readStored(api)
  expect(findTables(before, mark)).not.toEqual([])
  // This also writes the words of the index to the files, which InnoDB does later.
  const filesWithMark = await findInFiles(api, [Buffer.from(getEnd(mark))])
  expect(filesWithMark.length > 0).toBe(overwritesDeletedRows())
  await remove()
  await runDeletions(api)
  await createTranscriptJob(api.services)()
  await api.services.trail.flush()
  const remaining = findTables(await readStored(api), mark).filter((table) => !auditTables.includes(table))
  expect(remaining.filter((table) => !(table in remains))).toEqual([])
  await removeBefore(api.test.database, 'audit', Date.now() + 1000)
  const after = await readStored(api)
  expect(findTables(after, mark)).toEqual(remaining)
  const values = findDeletedValues(before, after)
  expect(values).not.toEqual([])
  const marks = remaining.length === 0 ? [Buffer.from(getEnd(mark))] : []
  const find = () => findInFiles(api, [...marks, ...values])
  // InnoDB removes deleted rows a moment after the transaction.
  if (isMysql) await expect.poll(find).toEqual([])
  else expect(await find()).toEqual([])
  return remaining
}
