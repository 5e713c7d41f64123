import type { BulkChange } from '@patchbay/contract/bulk-changes'
import type { BulkKindName } from '@patchbay/contract/bulk-changes/kinds'
import { useEffect, useState } from 'react'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button } from '../../ui/button.tsx'
import { storeBulkChange } from './use-bulk-change.ts'

interface UndoButtonProps {
  kind: BulkKindName
  /** The bulk change when the button appeared. */
  change: BulkChange
}

/** Restores the values that a bulk change has replaced, as long as the server offers it. */
export const UndoButton = ({ kind, change: { bulk_change_sid, undo_seconds } }: UndoButtonProps) => {
  const [isOver, setOver] = useState(!(undo_seconds > 0))
  const undo = useAction({
    run: () => api('POST /patchbay/bulk-changes/:bulk_change_sid/undo', { params: { bulk_change_sid } }),
    changes: [['bulk-change', bulk_change_sid]],
    after: (undone) => storeBulkChange(kind, undone.bulk_change_sid),
  })
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), undo_seconds * 1000)
    return () => clearTimeout(timer)
  }, [undo_seconds])
  if (isOver && !undo.isPending) return null
  return (
    <Button
      size="small"
      busy={undo.isPending}
      disabledReason={viewOnlyReason(requiredSession().actor)}
      onClick={() => undo.mutate(undefined)}
    >
      Undo
    </Button>
  )
}
