import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type ReactNode, use, type WheelEvent } from 'react'
import { classes } from '../classes.ts'
import styles from './field.module.css'
import { Field, type FieldFrameProps, FieldNotes, ReadOnlyFields, useFieldControl } from './field-frame.tsx'
import { TextField, type TextFieldProps } from './text-field.tsx'

export type NumberFieldProps = Omit<TextFieldProps, 'type' | 'mono'>

export interface TextAreaProps extends FieldFrameProps, Omit<ComponentProps<'textarea'>, 'required'> {
  labelAction?: ReactNode
  mono?: boolean
}

// Scrolling over a focused number field would change its value unnoticed.
const leaveOnWheel = (event: WheelEvent<HTMLInputElement>) => event.currentTarget.blur()

/** A number field. Pass the unit as `after`. */
export const NumberField = (props: NumberFieldProps) => (
  <TextField inputMode="numeric" {...props} type="number" className={styles.short} onWheel={leaveOnWheel} />
)

/** A multi-line text field that grows with its content in browsers that support it. */
export const TextArea = (props: TextAreaProps) => {
  const { label, labelHidden, hint, error, required, labelAction, mono, id, className, ...area } = props
  const readOnly = use(ReadOnlyFields) || area.readOnly
  return (
    <Field {...{ label, labelHidden, hint, error, required, labelAction, id }}>
      {(control) => (
        <textarea
          rows={3}
          {...area}
          {...control}
          readOnly={readOnly}
          className={classes(styles.box, styles.area, mono && styles.mono, className)}
        />
      )}
    </Field>
  )
}

/** An option of a select. Options with the same `group` are shown below a heading. */
export interface SelectOption {
  value: string
  label: string
  group?: string
}

export interface SelectFieldProps extends FieldFrameProps, Omit<ComponentProps<'select'>, 'size' | 'required'> {
  options?: readonly SelectOption[]
  /** Shown as the first option, for the empty value. */
  placeholder?: string
  labelAction?: ReactNode
}

export interface CheckFieldProps
  extends FieldFrameProps,
    Omit<ComponentProps<'input'>, 'size' | 'type' | 'role' | 'required'> {
  /** Fields that are shown only while the checkbox is checked. */
  children?: ReactNode
}

const grouped = (options: readonly SelectOption[]) =>
  [...new Set(options.map((option) => option.group))].map((group) => ({
    group,
    members: options.filter((option) => option.group === group),
  }))

const renderOption = ({ value, label }: SelectOption) => (
  <option key={value} value={value}>
    {label}
  </option>
)

/** Options, inside an `<optgroup>` if they name a group. */
export const SelectOptions = ({ options }: { options: readonly SelectOption[] }) =>
  grouped(options).map(({ group, members }) =>
    group === undefined ? (
      members.map(renderOption)
    ) : (
      <optgroup key={group} label={group}>
        {members.map(renderOption)}
      </optgroup>
    ),
  )

/** A native select. Use `SearchSelect` for more than ten options. */
export const SelectField = (props: SelectFieldProps) => {
  const { label, labelHidden, hint, error, required, labelAction, options, placeholder, id, className, ...rest } = props
  const disabled = use(ReadOnlyFields) || rest.disabled
  return (
    <Field {...{ label, labelHidden, hint, error, required, labelAction, id }}>
      {(control) => (
        <div className={classes(styles.box, className)}>
          <select {...rest} {...control} disabled={disabled} className={classes(styles.input, styles.select)}>
            {placeholder === undefined ? null : <option value="">{placeholder}</option>}
            {options === undefined ? null : <SelectOptions options={options} />}
            {rest.children}
          </select>
          <ChevronDown className={styles.chevron} size={16} aria-hidden="true" />
        </div>
      )}
    </Field>
  )
}

const CheckFrame = ({ look, ...props }: CheckFieldProps & { look: 'checkbox' | 'switch' }) => {
  const { label, labelHidden = false, hint, error, required, id, className, children, ...input } = props
  const control = useFieldControl({ hint, error, required, id })
  const disabled = use(ReadOnlyFields) || input.disabled
  return (
    <div className={classes(styles.check, className)}>
      <input
        {...input}
        {...control}
        disabled={disabled}
        type="checkbox"
        role={look === 'switch' ? 'switch' : undefined}
        className={look === 'switch' ? styles.switch : styles.checkbox}
      />
      <div className={styles.checkText}>
        <label
          className={classes(labelHidden ? 'visually-hidden' : styles.checkLabel, required && styles.required)}
          htmlFor={control.id}
        >
          {label}
        </label>
        <FieldNotes id={control.id} hint={hint} error={error} />
        {children ? <div className={styles.checkChildren}>{children}</div> : null}
      </div>
    </div>
  )
}

/** A checkbox with its label at the right. Its children are shown only while it is checked. */
export const CheckboxField = (props: CheckFieldProps) => <CheckFrame look="checkbox" {...props} />

/** A setting that applies immediately: a checkbox that looks like a switch and is announced as one. */
export const SwitchField = (props: CheckFieldProps) => <CheckFrame look="switch" {...props} />
