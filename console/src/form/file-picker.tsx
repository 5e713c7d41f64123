import { Upload } from 'lucide-react'
import { type ReactNode, use, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { Field, ReadOnlyFields } from '../ui/fields/field-frame.tsx'
import styles from './file-picker.module.css'

interface FilePickerProps {
  label: string
  hint?: string | undefined
  required?: boolean
  error?: string | undefined
  accept?: string
  /** Describes the chosen or stored file. Undefined if there is none. */
  chosen: ReactNode | undefined
  /** The text if there is no file. */
  none: string
  /** The label of the button without a file, and with one. */
  choose?: readonly [string, string]
  onTake: (file: File) => void
}

/**
 * A field whose value comes from a file. Unlike the browser's control, it can describe a file that is stored on the
 * server.
 */
export const FilePicker = (props: FilePickerProps) => {
  const { label, hint, required, error, accept, chosen, none, onTake } = props
  const [first, other] = props.choose ?? ['Choose file', 'Choose another file']
  const picker = useRef<HTMLInputElement>(null)
  const readOnly = use(ReadOnlyFields)
  return (
    <Field {...{ label, hint, required, error }}>
      {(control) => (
        <div className={styles['box']}>
          <input
            ref={picker}
            {...control}
            type="file"
            accept={accept}
            className="visually-hidden"
            tabIndex={-1}
            disabled={readOnly}
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) onTake(file)
              // Clearing the value lets the user choose the same file again after correcting it.
              target.value = ''
            }}
          />
          {chosen === undefined ? <span className="note">{none}</span> : <span>{chosen}</span>}
          {!readOnly && (
            <Button size="small" icon={<Upload size={14} aria-hidden="true" />} onClick={() => picker.current?.click()}>
              {chosen === undefined ? first : other}
            </Button>
          )}
        </div>
      )}
    </Field>
  )
}
