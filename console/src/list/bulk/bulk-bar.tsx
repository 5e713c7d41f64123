import type { NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxBulkRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { X } from 'lucide-react'
import { useState } from 'react'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { requiredSession } from '../../session/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { hasState, listEditableFields } from './bulk-fields.ts'
import { DeleteSelected } from './delete-selected.tsx'
import { EditSelected } from './edit-selected.lazy.ts'
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
  /** The selected records of the page. */
  rows: readonly object[]
  onClear: () => void
}

/** Returns the account of all selected records, or undefined if they belong to several or to none, or are on other pages. */
const findCommonAccount = (rows: readonly { account_sid?: unknown }[], total: number): string | undefined => {
  const [first, ...others] = new Set(rows.map(({ account_sid }) => account_sid))
  return rows.length === total && others.length === 0 && typeof first === 'string' ? first : undefined
}

/** Shows the number of selected records, and the buttons that change them. */
export const BulkBar = ({ denied, rows, onClear, ...dialog }: BulkBarProps) => {
  const { kind, nouns, sids } = dialog
  const [open, setOpen] = useState<OpenDialog>()
  const fields = listEditableFields(kind, requiredSession().actor)
  const tooMany =
    sids.length > maxBulkRecords ? `At most ${formatCount(maxBulkRecords)} records can be changed at once.` : undefined
  const disabledReason = denied ?? tooMany
  const props = { ...dialog, onClose: () => setOpen(undefined) }
  return (
    <div className={styles['selection']} role="group" aria-label="Selection">
      <output className={styles['count']}>{`${countText(sids.length, sids.length, nouns)} selected`}</output>
      <span className={styles['end']}>
        {fields.length > 0 && (
          <Button disabledReason={disabledReason} onClick={() => setOpen('edit')}>
            Edit…
          </Button>
        )}
        {hasState(kind) && (
          <>
            <Button disabledReason={disabledReason} onClick={() => setOpen('enable')}>
              Enable
            </Button>
            <Button disabledReason={disabledReason} onClick={() => setOpen('disable')}>
              Disable
            </Button>
          </>
        )}
        {kind !== 'account' && (
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
      {open === 'edit' && (
        <EditSelected {...props} fields={fields} account_sid={findCommonAccount(rows, sids.length)} />
      )}
      {open === 'delete' && <DeleteSelected {...props} />}
      {(open === 'enable' || open === 'disable') && <SetState {...props} isActive={open === 'enable'} />}
    </div>
  )
}
