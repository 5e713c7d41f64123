import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { useSyncExternalStore } from 'react'
import { stored } from '../../session/storage.ts'

/** The last bulk change of each kind of record, which its list shows until the user closes its outcome. */

export const readBulkChanges = (): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(stored.bulkChanges.read() ?? '{}')) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

/** Sent by the page when the bulk change of a kind is stored. */
export const bulkChangeEvent = 'bulkchange'

const subscribe = (listener: () => void): (() => void) => {
  addEventListener(bulkChangeEvent, listener)
  return () => removeEventListener(bulkChangeEvent, listener)
}

/** Returns the SID of the last bulk change of a kind, until its outcome is closed. */
export const useCurrentBulkChange = (kind: BulkKindName): string | undefined =>
  useSyncExternalStore(subscribe, () => {
    const sid = readBulkChanges()[kind]
    return typeof sid === 'string' ? sid : undefined
  })
