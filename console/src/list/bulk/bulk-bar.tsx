import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxBulkRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { X } from 'lucide-react'
import { useState } from 'react'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { bulkFields } from './bulk-fields.ts'
import { DeleteSelected } from './delete-selected.tsx'
import { EditSelected } from './edit-selected.tsx'
import styles from './selection.module.css'
import { type BulkDialogProps, useBulkChange } from './use-bulk-change.ts'

interface SetStateProps extends BulkDialogProps {
  isActive: boolean
}

/** Dialog that enables or disables the selected records after a confirmation. */
const SetState = ({ kind, nouns, sids, changes, isActive, onStarted, onClose }: SetStateProps) => {
  const change = useBulkChange({ kind, changes, onStarted })
  const verb = isActive ? 'Enable' : 'Disable'
  const count = countText(sids.length, sids.length, nouns)
  const body: NewBulkChange = { kind, operation: 'update', values: { is_active: isActive }, sids: [...sids] }
  return (
    <ConfirmAction
      action={{ ...change, mutate: () => change.mutate(body) }}
      title={`${verb} ${count}?`}
      confirmLabel={`${verb} ${count}`}
      danger={!isActive}
      onCancel={onClose}
    >
      <p>{isActive ? 'They can be used again immediately.' : 'They stay stored, and can be enabled again.'}</p>
    </ConfirmAction>
  )
}

type OpenDialog = 'edit' | 'enable' | 'disable' | 'delete'

interface BulkBarProps extends Omit<BulkDialogProps, 'onClose'> {
  /** The reason why the user cannot change records. */
  denied: string | undefined
  onClear: () => void
}

/** Shows the number of selected records, and the buttons that change them. */
export const BulkBar = ({ denied, onClear, ...dialog }: BulkBarProps) => {
  const { kind, nouns, sids } = dialog
  const [open, setOpen] = useState<OpenDialog>()
  const { hasState, flags, isKept } = bulkFields[kind] ?? {}
  const tooMany =
    sids.length > maxBulkRecords ? `At most ${formatCount(maxBulkRecords)} records can be changed at once.` : undefined
  const disabledReason = denied ?? tooMany
  const props = { ...dialog, onClose: () => setOpen(undefined) }
  return (
    <div className={styles['selection']} role="group" aria-label="Selection">
      <output className={styles['count']}>{`${countText(sids.length, sids.length, nouns)} selected`}</output>
      <span className={styles['end']}>
        {flags && (
          <Button disabledReason={disabledReason} onClick={() => setOpen('edit')}>
            Edit…
          </Button>
        )}
        {hasState && (
          <>
            <Button disabledReason={disabledReason} onClick={() => setOpen('enable')}>
              Enable
            </Button>
            <Button disabledReason={disabledReason} onClick={() => setOpen('disable')}>
              Disable
            </Button>
          </>
        )}
        {!isKept && (
          <>
            <span className={styles['divider']} />
            <Button variant="warning" disabledReason={disabledReason} onClick={() => setOpen('delete')}>
              Delete…
            </Button>
          </>
        )}
        <IconButton
          label="Clear selection"
          className={styles['clear']}
          onClick={({ currentTarget }) => {
            // The button goes with the bar, and the focus would be lost.
            currentTarget.closest('main')?.querySelector('table')?.focus({ preventScroll: true })
            onClear()
          }}
        >
          <X aria-hidden="true" />
        </IconButton>
      </span>
      {open === 'edit' && <EditSelected {...props} flags={flags ?? []} />}
      {open === 'delete' && <DeleteSelected {...props} />}
      {(open === 'enable' || open === 'disable') && <SetState {...props} isActive={open === 'enable'} />}
    </div>
  )
}
