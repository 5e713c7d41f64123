import { isSecretName } from '@patchbay/contract/shared/masking'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './conflict-dialog.module.css'
import type { Conflict } from './merge-values.ts'

/** What a field holds in words, by its path: a list, or records by their names. */
export type ConflictFormatters = Readonly<Record<string, (value: unknown) => string>>

interface ConflictDialogProps {
  conflicts: readonly Conflict[]
  texts: ConflictFormatters
  onTheirs: () => void
  onMine: () => void
  onCancel: () => void
}

const controlOf = (path: string) =>
  document.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${CSS.escape(path)}"]`)

/** A field is called as its label says, a list of fields as its legend does. */
const labelOf = (path: string): string => {
  const legend = document.querySelector(`fieldset[name="${CSS.escape(path)}"] > legend`)
  return (legend ?? controlOf(path)?.labels?.[0])?.textContent ?? path
}

/** What a select shows for a value. */
const optionText = (path: string, value: unknown): string | undefined => {
  const control = controlOf(path)
  return control instanceof HTMLSelectElement
    ? [...control.options].find((option) => option.value === value)?.text
    : undefined
}

const shown = (path: string, value: unknown, texts: ConflictFormatters): string => {
  const text = texts[path]?.(value)
  if (text) return text
  if (value === true || value === false) return value ? 'on' : 'off'
  if (value === '' || value === null || value === undefined) return 'nothing'
  if (controlOf(path)?.type === 'password' || isSecretName(path)) return 'a secret'
  return optionText(path, value) ?? (typeof value === 'string' ? value : JSON.stringify(value))
}

/** Somebody else has changed what is being saved: what, beside what stands here; and whose counts. */
export const ConflictDialog = ({ conflicts, texts, onTheirs, onMine, onCancel }: ConflictDialogProps) => (
  <Dialog
    title="Somebody else has changed this"
    size="medium"
    onClose={onCancel}
    footer={
      <>
        <Button onClick={onCancel} data-autofocus>
          Cancel
        </Button>
        <Button onClick={onTheirs}>Take theirs</Button>
        <Button variant="primary" onClick={onMine}>
          Save mine
        </Button>
      </>
    }
  >
    <p>It was saved since you opened it, with other values where you have changed some, too.</p>
    <table className={styles['table']}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Theirs, stored now</th>
          <th scope="col">Yours</th>
        </tr>
      </thead>
      <tbody>
        {conflicts.map(({ path, mine, theirs }) => (
          <tr key={path}>
            <th scope="row">{labelOf(path)}</th>
            <td>
              <bdi>{shown(path, theirs, texts)}</bdi>
            </td>
            <td>
              <bdi>{shown(path, mine, texts)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Dialog>
)
