import styles from './select-box.module.css'

interface SelectBoxProps {
  label: string
  checked: boolean
  /** True if only some of the rows are selected. */
  partly?: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}

/** Checkbox that selects one or several rows of a table. */
export const SelectBox = ({ label, checked, partly = false, disabled = false, onChange }: SelectBoxProps) => (
  <input
    type="checkbox"
    className={styles['box']}
    aria-label={label}
    checked={checked}
    disabled={disabled}
    ref={(box) => {
      if (box) box.indeterminate = partly
    }}
    onChange={({ target }) => onChange(target.checked)}
  />
)
