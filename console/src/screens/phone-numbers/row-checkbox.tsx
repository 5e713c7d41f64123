import styles from './list.module.css'

interface SelectBoxProps {
  label: string
  checked: boolean
  /** some of what it stands for */
  partly?: boolean
  onChange: (on: boolean) => void
}

/** The box of a row, or of many, in a table. */
export const SelectBox = ({ label, checked, partly = false, onChange }: SelectBoxProps) => (
  <input
    type="checkbox"
    className={styles['box']}
    aria-label={label}
    checked={checked}
    ref={(box) => {
      if (box) box.indeterminate = partly
    }}
    onChange={({ target }) => onChange(target.checked)}
  />
)
