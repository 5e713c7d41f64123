import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from '../../list/bulk/selection.module.css'
import { Button, IconButton } from '../../ui/button.tsx'
import { countText } from '../../ui/format/text.ts'
import { countSelected, everything, nothing, nouns, pageSelected, type Selection, select } from './selection.ts'

interface SelectionBarProps {
  selection: Selection
  /** Number of phone numbers that match the filters. */
  total: number
  page: readonly NamedPhoneNumber[]
  onSelect: (selection: Selection) => void
  /** Controls that act on the selection. */
  children: ReactNode
}

/** Shows the number of selected phone numbers, and controls that change or use the selection. */
export const SelectionBar = ({ selection, total, page, onSelect, children }: SelectionBarProps) => {
  const count = countSelected(selection, total)
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
        {children}
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
    </div>
  )
}
