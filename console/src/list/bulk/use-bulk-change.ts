import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import type { QueryKey } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { stored } from '../../session/storage.ts'
import type { Nouns } from '../../ui/format/text.ts'
import { bulkChangeEvent, readBulkChanges } from './current-change.ts'

export interface BulkDialogProps {
  kind: BulkKindName
  nouns: Nouns
  sids: readonly string[]
  changes: readonly QueryKey[]
  onStarted: () => void
  onClose: () => void
}

/** Stores the bulk change of a kind, or that there is none. It is a module that lists do not load. */
export const storeBulkChange = (kind: BulkKindName, sid: string | undefined): void => {
  stored.bulkChanges.write(JSON.stringify({ ...readBulkChanges(), [kind]: sid }))
  dispatchEvent(new Event(bulkChangeEvent))
}

/** Returns the action that starts a bulk change. Dialogs show its errors. */
export const useBulkChange = ({ kind, changes, onStarted }: Pick<BulkDialogProps, 'kind' | 'changes' | 'onStarted'>) =>
  useAction({
    run: (body: NewBulkChange) => api('POST /patchbay/bulk-changes', { body }),
    changes,
    after: ({ bulk_change_sid }) => {
      storeBulkChange(kind, bulk_change_sid)
      onStarted()
    },
    quiet: true,
  })
