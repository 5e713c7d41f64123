import { type ComponentProps, type ReactNode, use } from 'react'
import { classes } from '../classes.ts'
import styles from './field.module.css'
import { Field, type FieldFrameProps, ReadOnlyFields } from './field-frame.tsx'

type InputProps = Omit<ComponentProps<'input'>, 'size' | 'required'>

export interface TextFieldProps extends FieldFrameProps, InputProps {
  /** An element inside the frame after the input: a unit, a button, or a status. */
  after?: ReactNode
  labelAction?: ReactNode
  /** Uses a monospace font, for values that are read letter by letter: SIDs, addresses, and patterns. */
  mono?: boolean
}

/** A single-line text field. Accepts the props that `register()` of react-hook-form returns. */
export const TextField = (props: TextFieldProps) => {
  const { label, labelHidden, hint, error, required, after, labelAction, mono, id, className, ...input } = props
  const readOnly = use(ReadOnlyFields) || input.readOnly
  return (
    <Field {...{ label, labelHidden, hint, error, required, labelAction, id }}>
      {(control) => (
        <div className={classes(styles.box, className)}>
          <input
            type="text"
            {...input}
            {...control}
            readOnly={readOnly}
            className={classes(styles.input, mono && styles.mono)}
          />
          {after === undefined ? null : <span className={styles.after}>{after}</span>}
        </div>
      )}
    </Field>
  )
}
