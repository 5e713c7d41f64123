import { type HookMethod, isWebsocketUrl } from '@patchbay/contract/webhooks/webhooks'
import type { FocusEvent, ReactNode } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { CheckboxField, SelectField } from '../ui/fields/field.tsx'
import { FieldRow } from '../ui/fields/form-frame.tsx'
import { PasswordField } from '../ui/fields/password-field.tsx'
import { TextField } from '../ui/fields/text-field.tsx'
import styles from './hook-fields.module.css'
import type { HookValues } from './hook-values.ts'
import { useFields } from './use-fields.ts'

interface HookFieldsProps {
  /** The name of the form field, whose value is a `HookValues`. */
  hook: string
  title: string
  hint: ReactNode
  methods: readonly HookMethod[]
  required?: boolean
  /** Called with the URL when the user leaves the field for `next`. */
  onUrlEntered?: (url: string, next?: EventTarget | null) => void
}

/** The fields of a webhook: URL, method, user name, and password. */
export const HookFields = ({ hook, title, hint, methods, required, onUrlEntered }: HookFieldsProps) => {
  const field = useFields<Record<string, HookValues>>()
  const { control, setValue } = useFormContext<Record<string, HookValues>>()
  const [url, withAuthentication] = useWatch({ control, name: [`${hook}.url`, `${hook}.withAuthentication`] })
  const fixed = isWebsocketUrl(url) && methods.includes('GET')
  return (
    <div className={styles['hook']}>
      <div className={styles['address']}>
        <TextField
          label={`${title} URL`}
          type="url"
          placeholder="https://example.com/hook"
          hint={hint}
          required={required}
          {...field(`${hook}.url`, {
            onChange: ({ target }: { target: { value: string } }) => {
              // A websocket address is always opened with GET.
              if (isWebsocketUrl(target.value) && methods.includes('GET')) setValue(`${hook}.method`, 'GET')
            },
            onBlur: ({ target, relatedTarget }: FocusEvent<HTMLInputElement>) =>
              onUrlEntered?.(target.value, relatedTarget),
          })}
        />
        <SelectField
          label={
            <>
              <span className="visually-hidden">{title} </span>Method
            </>
          }
          aria-disabled={fixed || undefined}
          {...field(`${hook}.method`)}
        >
          {methods
            .filter((method) => !fixed || method === 'GET')
            .map((method) => (
              <option key={method}>{method}</option>
            ))}
        </SelectField>
      </div>
      <CheckboxField
        label={`Use HTTP basic authentication for the ${title.toLowerCase()}`}
        {...field(`${hook}.withAuthentication`)}
      />
      {withAuthentication && (
        <FieldRow>
          <TextField label={`${title} username`} autoComplete="off" {...field(`${hook}.username`)} />
          <PasswordField label={`${title} password`} autoComplete="new-password" {...field(`${hook}.password`)} />
        </FieldRow>
      )}
    </div>
  )
}
