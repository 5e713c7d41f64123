import { maxBulkRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { X } from 'lucide-react'
import { useState } from 'react'
import { config } from '../../api/configuration.ts'
import styles from '../../list/bulk/selection.module.css'
import { Button, IconButton } from '../../ui/button.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { DeleteNumbers } from './delete-numbers.tsx'
import type { NumberQuery } from './queries.ts'
import { countSelected, everything, nothing, nouns, pageSelected, type Selection, select } from './selection.ts'

interface SelectionBarProps {
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  page: readonly NamedPhoneNumber[]
  query: NumberQuery
  onSelect: (selection: Selection) => void
  /** Called when the deletion of the selected numbers has started. */
  onDeletion: () => void
  /** Opens the dialog that sets the application of the selected numbers, or that removes it. */
  onRouting: (isRemoval: boolean) => void
  isRoutingLoading: boolean
}

/** Shows the number of selected phone numbers, and the buttons that change them. */
export const SelectionBar = (props: SelectionBarProps) => {
  const { selection, total, page, query, onSelect, onDeletion, onRouting, isRoutingLoading } = props
  const count = countSelected(selection, total)
  const [isDeleting, setDeleting] = useState(false)
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
        <Button busy={isRoutingLoading} onClick={() => onRouting(false)}>
          Set application
        </Button>
        <span className={styles['divider']} />
        <Button variant="warning" onClick={() => onRouting(true)}>
          Remove application…
        </Button>
        {config().extensions.has('bulk-changes') && (
          <Button
            variant="warning"
            disabledReason={
              count > maxBulkRecords
                ? `At most ${formatCount(maxBulkRecords)} records can be changed at once.`
                : undefined
            }
            onClick={() => setDeleting(true)}
          >
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
      {isDeleting && (
        <DeleteNumbers
          selection={selection}
          total={total}
          query={query}
          onStarted={onDeletion}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  )
}
