import { CircleAlert } from 'lucide-react'
import { createContext, type ReactNode, useId } from 'react'
import { classes } from '../classes.ts'
import styles from './field.module.css'

/** True if the fields below are read-only: they can be read, focused, and copied. */
export const ReadOnlyFields = createContext(false)

/** The props of every form field. */
export interface FieldFrameProps {
  label: ReactNode
  /** Hides the label visually, for fields in a table whose column header shows the same text. */
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
  /** A small element at the right end of the label's line. */
  labelAction?: ReactNode
  children: (control: FieldControl) => ReactNode
}

interface NotesProps {
  id: string
  hint?: ReactNode
  error?: string | undefined
}

/** The hint and the error of a field. Screen readers announce the error when it appears. */
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

/** Returns the ids and states that connect a control with its label, hint, and error. */
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

/** The label, control, hint, and error of a field. The other fields of this folder use it. */
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
