import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import type { QueryKey } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import type { Nouns } from '../../ui/format/text.ts'

export interface BulkDialogProps {
  kind: BulkKindName
  nouns: Nouns
  sids: readonly string[]
  changes: readonly QueryKey[]
  /** Called with the SID of the bulk change. */
  onStarted: (sid: string) => void
  onClose: () => void
}

/** Returns the action that starts a bulk change. Dialogs show its errors. */
export const useBulkChange = (changes: readonly QueryKey[], onStarted: (sid: string) => void) =>
  useAction({
    run: (body: NewBulkChange) => api('POST /patchbay/bulk-changes', { body }),
    changes,
    after: ({ bulk_change_sid }) => onStarted(bulk_change_sid),
    quiet: true,
  })
