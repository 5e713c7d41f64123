import { Combobox } from '@base-ui/react/combobox'
import type { RefObject } from 'react'
import type { SelectOption } from './field.tsx'
import styles from './search-select.module.css'
import { Item } from './search-select.tsx'

interface SearchPopupProps {
  label: string
  placeholder: string
  /** Shown if no option matches. */
  empty: string
  /** The button that the list belongs to. It gets the focus when the list closes. */
  anchor: RefObject<HTMLElement | null>
  options: readonly SelectOption[]
  value: string
  onChoose: (value: string) => void
  onClose: () => void
}

/** More options are found by typing. */
const visibleOptions = 100

/** A list of options below a button, with a search field. This module imports Base UI, so only lazy chunks use it. */
export const SearchPopup = (props: SearchPopupProps) => {
  const { label, placeholder, empty, anchor, options, value, onChoose, onClose } = props
  return (
    <Combobox.Root
      open
      items={options}
      limit={visibleOptions}
      value={options.find((option) => option.value === value) ?? null}
      isItemEqualToValue={(one: SelectOption, other: SelectOption) => one.value === other.value}
      onValueChange={(next: SelectOption | null) => {
        if (next) onChoose(next.value)
      }}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose()
      }}
      autoHighlight
    >
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} anchor={anchor} align="start" className={styles.positioner}>
          <Combobox.Popup className={styles.popup} aria-label={label} finalFocus={anchor}>
            <Combobox.Input aria-label={placeholder} placeholder={placeholder} className={styles.searchInput} />
            <Combobox.Empty className={styles.nothing}>{empty}</Combobox.Empty>
            <Combobox.List className={styles.list}>{Item}</Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}
