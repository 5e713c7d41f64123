import { applicationLengths } from '@patchbay/contract/applications/record'
import { type EnvVariable, envControl } from '@patchbay/rules/webhooks/app-env'
import { Upload } from 'lucide-react'
import { type FocusEventHandler, type ReactNode, use, useRef } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { Button } from '../../../ui/button.tsx'
import { CheckboxField, NumberField, SelectField, TextArea } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import styles from './application-form.module.css'
import type { ApplicationValues } from './application-form.ts'

interface VariableProps {
  variable: EnvVariable
  /** Properties that fields of all kinds share. */
  frame: {
    label: string
    name: string
    hint: string
    required: boolean
    error: string | undefined
    onBlur: FocusEventHandler
  }
  value: unknown
  onChange: (value: unknown) => void
  onError: (message: string) => void
}

/** Formats a stored value for a text field. The API also stores values that are not text. */
const toText = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type ChooseFileProps = Pick<VariableProps, 'onChange' | 'onError'> & { fieldLabel: string }

/** Button that reads a text file into the field. */
const ChooseFile = ({ fieldLabel, onChange, onError }: ChooseFileProps) => {
  const picker = useRef<HTMLInputElement>(null)
  const readFile = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > applicationLengths.stored)
      return onError(`The file is larger than ${applicationLengths.stored} bytes`)
    try {
      onChange(await file.text())
    } catch (error) {
      onError(`Failed to read file: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return (
    <>
      <input
        ref={picker}
        type="file"
        aria-label={`File of ${fieldLabel}`}
        className="visually-hidden"
        tabIndex={-1}
        onChange={({ target }) => {
          void readFile(target.files?.[0])
          // Allows the user to choose the same file again after correcting it.
          target.value = ''
        }}
      />
      <Button size="small" icon={<Upload size={14} aria-hidden="true" />} onClick={() => picker.current?.click()}>
        Choose a file<span className="visually-hidden"> for {fieldLabel}</span>
      </Button>
    </>
  )
}

const Choice = ({ variable, frame, value, onChange }: VariableProps) => {
  const values = (variable.enum ?? []).filter((one) => typeof one === 'string' || typeof one === 'number')
  const isListed = values.some((one) => one === value)
  return (
    <SelectField
      {...frame}
      placeholder={frame.required ? 'Choose a value' : 'Not set'}
      options={[
        ...values.map((one) => ({ value: String(one), label: String(one) })),
        ...(isListed || toText(value) === ''
          ? []
          : [{ value: toText(value), label: `${toText(value)} (no longer available)` }]),
      ]}
      value={toText(value)}
      onChange={({ target }) => onChange(values.find((one) => String(one) === target.value) ?? '')}
    />
  )
}

const Variable = (props: VariableProps) => {
  const { variable, frame, value, onChange, onError } = props
  const readOnly = use(ReadOnlyFields)
  const text = {
    ...frame,
    value: toText(value),
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  }
  const hasFile = variable.uiHint === 'filepicker' && !readOnly
  const file: { labelAction?: ReactNode } = hasFile
    ? { labelAction: <ChooseFile fieldLabel={frame.label} onChange={onChange} onError={onError} /> }
    : {}
  switch (envControl(variable)) {
    case 'checkbox':
      return (
        <CheckboxField
          {...frame}
          required={false}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      )
    case 'select':
      return <Choice {...props} />
    case 'number':
      return (
        <NumberField
          {...text}
          step="any"
          onChange={({ target }) => onChange(target.value === '' ? '' : Number(target.value))}
        />
      )
    case 'secret':
      return <PasswordField {...text} {...file} autoComplete="new-password" />
    case 'file':
      return <TextArea {...text} {...file} rows={6} mono />
    case 'area':
      return <TextArea {...text} rows={6} />
    case 'text':
      return <TextField {...text} />
  }
}

interface EnvFieldsProps {
  title: string
  /** Variables with their names, in order of appearance. */
  described: readonly (readonly [string, EnvVariable])[]
}

/** Fields for the environment variables that a webhook declares. */
export const EnvFields = ({ title, described }: EnvFieldsProps) => {
  const { formState, setError, clearErrors } = useFormContext<ApplicationValues>()
  const { field } = useController<ApplicationValues, 'env_vars'>({ name: 'env_vars' })
  return (
    <fieldset className={styles['variables']}>
      <legend>{title}</legend>
      {described.map(([name, variable]) => (
        <Variable
          key={name}
          variable={variable}
          frame={{
            label: name,
            name: `env_vars.${name}`,
            hint: variable.description,
            required: variable.required === true,
            error: formState.errors.env_vars?.[name]?.message,
            onBlur: field.onBlur,
          }}
          value={Object.hasOwn(field.value, name) ? field.value[name] : variable.default}
          onChange={(value) => {
            clearErrors(`env_vars.${name}`)
            field.onChange({ ...field.value, [name]: value })
          }}
          onError={(message) => setError(`env_vars.${name}`, { message })}
        />
      ))}
    </fieldset>
  )
}
