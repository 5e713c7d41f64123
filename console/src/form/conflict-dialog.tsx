import { isSecretName } from '@patchbay/rules/masking/masking'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import styles from './conflict-dialog.module.css'
import type { Conflict } from './merge-values.ts'

/** Formats the value of a field by its path, for values that are lists or references to records. */
export type ConflictFormatters = Readonly<Record<string, (value: unknown) => string>>

interface ConflictDialogProps {
  conflicts: readonly Conflict[]
  formatters: ConflictFormatters
  onTheirs: () => void
  onMine: () => void
  onClose: () => void
}

const findControl = (path: string) =>
  document.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${CSS.escape(path)}"]`)

/** Returns the label of a field, or the legend of a list of fields. */
const getLabel = (path: string): string => {
  const legend = document.querySelector(`fieldset[name="${CSS.escape(path)}"] > legend`)
  return (legend ?? findControl(path)?.labels?.[0])?.textContent ?? path
}

/** Returns the label of a select option. */
const optionText = (path: string, value: unknown): string | undefined => {
  const control = findControl(path)
  return control instanceof HTMLSelectElement
    ? [...control.options].find((option) => option.value === value)?.text
    : undefined
}

const formatValue = (path: string, value: unknown, formatters: ConflictFormatters): string => {
  const text = formatters[path]?.(value)
  if (text) return text
  if (value === true || value === false) return value ? 'on' : 'off'
  if (value === '' || value === null || value === undefined) return 'nothing'
  if (findControl(path)?.type === 'password' || isSecretName(path)) return 'a secret'
  return optionText(path, value) ?? (typeof value === 'string' ? value : JSON.stringify(value))
}

/** The dialog for fields that another user has changed, too. It shows both values and asks which ones to keep. */
export const ConflictDialog = ({ conflicts, formatters, onTheirs, onMine, onClose }: ConflictDialogProps) => (
  <Dialog
    title="Another user changed this record"
    size="medium"
    onClose={onClose}
    footer={
      <>
        <Button onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button onClick={onTheirs}>Use their values</Button>
        <Button variant="primary" onClick={onMine}>
          Save my values
        </Button>
      </>
    }
  >
    <p>Another user saved this record after you opened it. You both changed these fields.</p>
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Stored value</th>
          <th scope="col">Yours</th>
        </tr>
      </thead>
      <tbody>
        {conflicts.map(({ path, localValue, remoteValue }) => (
          <tr key={path}>
            <th scope="row">{getLabel(path)}</th>
            <td>
              <bdi>{formatValue(path, remoteValue, formatters)}</bdi>
            </td>
            <td>
              <bdi>{formatValue(path, localValue, formatters)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
)
