import { Combobox } from '@base-ui/react/combobox'
import { ChevronsUpDown } from 'lucide-react'
import { useId } from 'react'
import { FilterSelect } from './filter-bar.tsx'
import styles from './search-select.module.css'

interface Option {
  value: string
  label: string
}

interface SearchSelectProps {
  label: string
  value: string
  options: readonly Option[]
  onChange: (value: string) => void
}

const few = 10

/** A choice among many: typing narrows it; what is no choice is not kept. Few options are a plain select. */
export const SearchSelect = ({ label, value, options, onChange }: SearchSelectProps) => {
  const id = useId()
  if (options.length <= few) return <FilterSelect label={label} value={value} options={options} onChange={onChange} />
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <Combobox.Root
        items={options}
        value={options.find((option) => option.value === value) ?? null}
        onValueChange={(chosen: Option | null) => {
          if (chosen) onChange(chosen.value)
        }}
      >
        <div className={styles['control']}>
          <Combobox.Input id={id} className={styles['input']} />
          <Combobox.Trigger className={styles['trigger']} aria-label={`Show all: ${label}`}>
            <ChevronsUpDown size={14} aria-hidden="true" />
          </Combobox.Trigger>
        </div>
        <Combobox.Portal>
          <Combobox.Positioner sideOffset={4} className={styles['positioner']}>
            <Combobox.Popup className={styles['popup']}>
              <Combobox.Empty className={styles['empty']}>Nothing matches.</Combobox.Empty>
              <Combobox.List className={styles['list']}>
                {(option: Option) => (
                  <Combobox.Item key={option.value} value={option} className={styles['item']}>
                    {option.label}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
    </div>
  )
}
