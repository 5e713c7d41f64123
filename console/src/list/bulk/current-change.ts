import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { stored } from '../../session/storage.ts'

/** The last bulk change of each kind of record, which its list shows until the user closes its outcome. */

const readAll = (): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(stored.bulkChanges.read() ?? '{}')) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

export const readBulkChange = (kind: BulkKindName): string | undefined => {
  const sid = readAll()[kind]
  return typeof sid === 'string' ? sid : undefined
}

/** Stores the bulk change of a kind, or that there is none. */
export const storeBulkChange = (kind: BulkKindName, sid: string | undefined): void =>
  stored.bulkChanges.write(JSON.stringify({ ...readAll(), [kind]: sid }))
