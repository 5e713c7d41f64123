import { CircleAlert } from 'lucide-react'
import { createContext, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import styles from './field.module.css'

/** Whether the fields below are only shown: they can be read, reached and copied, not changed. */
export const ReadOnlyFields = createContext(false)

/** The props of every form field. */
export interface FieldFrameProps {
  label: ReactNode
  /** For fields in a row whose column says the same: the name stays for those who cannot see it. */
  labelHidden?: boolean
  hint?: ReactNode
  error?: string | undefined
  required?: boolean | undefined
}

/** The attributes that the control inside a field needs. */
export interface FieldControl {
  id: string
  required: boolean | undefined
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

export interface FieldProps extends FieldFrameProps {
  /** Overrides the generated id of the control. */
  id?: string | undefined
  /** Something small at the right end of the label's line. */
  labelAction?: ReactNode
  children: (control: FieldControl) => ReactNode
}

interface NotesProps {
  id: string
  hint?: ReactNode
  error?: string | undefined
}

/** Hint and error of a field; the error is announced when it appears. */
export const FieldNotes = ({ id, hint, error }: NotesProps) => (
  <>
    {hint ? (
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
    ) : null}
    {error ? (
      <p id={`${id}-error`} className={styles.error} role="alert">
        <CircleAlert size={14} aria-hidden="true" />
        {error}
      </p>
    ) : null}
  </>
)

/** Ids and states that tie a control to its label, hint and error. */
export const useFieldControl = (props: Omit<FieldFrameProps, 'label'> & { id?: string | undefined }): FieldControl => {
  const generated = useId()
  const id = props.id ?? generated
  const described = classes(props.hint ? `${id}-hint` : null, props.error ? `${id}-error` : null)
  return {
    id,
    required: props.required,
    'aria-invalid': props.error ? true : undefined,
    'aria-describedby': described || undefined,
  }
}

/** Label, control, hint and error of one field. The typed fields of this folder are built on it. */
export const Field = (props: FieldProps) => {
  const { label, labelHidden = false, hint, error, required, labelAction, children } = props
  const control = useFieldControl(props)
  return (
    <div className={styles.field}>
      <div className={labelHidden ? 'visually-hidden' : styles.labelLine}>
        <label className={classes(styles.label, required && styles.required)} htmlFor={control.id}>
          {label}
        </label>
        {labelAction}
      </div>
      {children(control)}
      <FieldNotes id={control.id} hint={hint} error={error} />
    </div>
  )
}
