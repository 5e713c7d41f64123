import { maxBulkRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { X } from 'lucide-react'
import { useState } from 'react'
import { config } from '../../api/configuration.ts'
import { listEditableFields } from '../../list/bulk/bulk-fields.ts'
import styles from '../../list/bulk/selection.module.css'
import { requiredSession } from '../../session/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { ChangeNumbers } from './change-numbers.tsx'
import type { NumberQuery } from './queries.ts'
import { countSelected, everything, nothing, nouns, pageSelected, type Selection, select } from './selection.ts'

interface SelectionBarProps {
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  page: readonly NamedPhoneNumber[]
  query: NumberQuery
  onSelect: (selection: Selection) => void
  /** Called when a bulk change of the selected numbers has started. */
  onStarted: () => void
  /** Opens the dialog that sets the application of the selected numbers, or that removes it. */
  onRouting: (isRemoval: boolean) => void
  isRoutingLoading: boolean
}

/** Shows the number of selected phone numbers, and the buttons that change them. */
export const SelectionBar = (props: SelectionBarProps) => {
  const { selection, total, page, query, onSelect, onStarted, onRouting, isRoutingLoading } = props
  const count = countSelected(selection, total)
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const hasBulk = config().extensions.has('bulk-changes')
  const fields = hasBulk ? listEditableFields('phone_number', requiredSession().actor) : []
  const disabledReason =
    count > maxBulkRecords ? `At most ${formatCount(maxBulkRecords)} records can be changed at once.` : undefined
  return (
    <div className={styles['selection']} role="group" aria-label="Selection">
      <output className={styles['count']}>{`${countText(count, count, nouns)} selected`}</output>
      {pageSelected(selection, page) !== 'all' && (
        <Button size="small" variant="ghost" onClick={() => onSelect(select(selection, page, true))}>
          Select this page
        </Button>
      )}
      {selection.is === 'some' && total > page.length && (
        <Button size="small" variant="ghost" onClick={() => onSelect(everything)}>
          Select all {countText(total, total, nouns)}
        </Button>
      )}
      <span className={styles['end']}>
        {/* The application has buttons of its own. */}
        {fields.length > 1 && (
          <Button disabledReason={disabledReason} onClick={() => setOpen('edit')}>
            Edit…
          </Button>
        )}
        <Button busy={isRoutingLoading} onClick={() => onRouting(false)}>
          Set application
        </Button>
        <span className={styles['divider']} />
        <Button variant="warning" onClick={() => onRouting(true)}>
          Remove application…
        </Button>
        {hasBulk && (
          <Button variant="warning" disabledReason={disabledReason} onClick={() => setOpen('delete')}>
            Delete…
          </Button>
        )}
        <IconButton
          label="Clear selection"
          className={styles['clear']}
          onClick={({ currentTarget }) => {
            // The button goes with the bar, and the focus would be lost.
            currentTarget.closest('main')?.querySelector('table')?.focus({ preventScroll: true })
            onSelect(nothing)
          }}
        >
          <X aria-hidden="true" />
        </IconButton>
      </span>
      {open && (
        <ChangeNumbers
          fields={open === 'edit' ? fields : undefined}
          selection={selection}
          total={total}
          query={query}
          onStarted={onStarted}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  )
}
