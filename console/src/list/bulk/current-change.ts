import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { stored } from '../../session/storage.ts'

/** The last bulk change of each kind of record, which its list shows until the user closes its outcome. */

export const readBulkChanges = (): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(stored.bulkChanges.read() ?? '{}')) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

export const readBulkChange = (kind: BulkKindName): string | undefined => {
  const sid = readBulkChanges()[kind]
  return typeof sid === 'string' ? sid : undefined
}
