import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { countText, type Nouns } from '../../ui/list-bar.tsx'
import { countSelected, everything, nothing, pageSelected, select, type Selection } from './selection.ts'
import styles from './list.module.css'

export const nouns: Nouns = ['phone number', 'phone numbers']

interface SelectionBarProps {
  selection: Selection
  /** how many the filters show, and how many of them stand on this page */
  total: number
  page: readonly NamedPhoneNumber[]
  onSelect: (selection: Selection) => void
  /** what is done with what is selected */
  children: ReactNode
}

/** How many numbers are selected, how all are, and what to do with them. */
export const SelectionBar = ({ selection, total, page, onSelect, children }: SelectionBarProps) => {
  const count = countSelected(selection, total)
  return (
    <div className={styles['selection']} role="group" aria-label="Selection">
      <output>{count === 0 ? 'None selected' : `${countText(count, count, nouns)} selected`}</output>
      {pageSelected(selection, page) !== 'all' && (
        <Button size="small" variant="ghost" onClick={() => onSelect(select(selection, page, true))}>
          Select this page
        </Button>
      )}
      {count > 0 && selection.is === 'some' && total > page.length && (
        <Button size="small" variant="ghost" onClick={() => onSelect(everything)}>
          Select all {countText(total, total, nouns)}
        </Button>
      )}
      {count > 0 && (
        <>
          {children}
          <Button size="small" variant="ghost" onClick={() => onSelect(nothing)}>
            Clear selection
          </Button>
        </>
      )}
    </div>
  )
}
