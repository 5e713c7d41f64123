import { undoSeconds } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { useEffect, useState } from 'react'
import { toaster } from '../../feedback/toaster.ts'
import { useAction } from '../../feedback/use-action.ts'
import styles from '../../list/bulk/selection.module.css'
import { Button } from '../../ui/button.tsx'
import { countText } from '../../ui/format/text.ts'
import type { AppliedRouting } from './bulk-routing.tsx'
import { restoreRouting } from './form/route-numbers.ts'
import { nouns } from './selection.ts'

interface UndoRoutingProps {
  routing: AppliedRouting
  onClose: () => void
}

/** Says what was changed, and can undo it for a minute. Numbers that were changed again since are left as they are. */
export const UndoRouting = ({ routing: { application_sid, routed }, onClose }: UndoRoutingProps) => {
  const [isOver, setOver] = useState(false)
  const undo = useAction({
    run: () => restoreRouting(application_sid, routed),
    changes: [['phone-numbers'], ['phone-number']],
    after: (unrouted) => {
      const restored = routed.length - unrouted.length
      if (restored > 0) toaster.success(`The application of ${countText(restored, restored, nouns)} is as before`)
      const [first] = unrouted
      if (first) toaster.failure(`${countText(unrouted.length, unrouted.length, nouns)} not restored: ${first.why}`)
      onClose()
    },
  })
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), 1000 * undoSeconds)
    return () => clearTimeout(timer)
  }, [])
  const isEnded = isOver && !undo.isPending
  useEffect(() => {
    if (isEnded) onClose()
  }, [isEnded, onClose])
  return (
    <div className={styles['selection']} role="status">
      <span>
        {application_sid === null ? 'Removed' : 'Set'} the application of{' '}
        {countText(routed.length, routed.length, nouns)}.
      </span>
      <Button size="small" busy={undo.isPending} onClick={() => undo.mutate(undefined)}>
        Undo
      </Button>
    </div>
  )
}
