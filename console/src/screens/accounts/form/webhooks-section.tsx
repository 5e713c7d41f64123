import { hookMethods, isWebsocketUrl } from '@patchbay/contract/rules/webhooks'
import { useFormContext, useWatch } from 'react-hook-form'
import { CheckboxField, SelectField, TextField } from '../../../ui/field.tsx'
import { FieldRow, FormSection } from '../../../ui/form-frame.tsx'
import { PasswordField } from '../../../ui/password-field.tsx'
import type { AccountValues, HookName } from './account-form.ts'
import styles from './webhooks-section.module.css'

interface HookFieldsProps {
  hook: HookName
  title: string
  hint: string
  methods: readonly ('GET' | 'POST')[]
}

const HookFields = ({ hook, title, hint, methods }: HookFieldsProps) => {
  const { register, formState, control, setValue } = useFormContext<AccountValues>()
  const errors = formState.errors[hook]
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
          error={errors?.url?.message}
          {...register(`${hook}.url`, {
            // A websocket address is always opened with GET.
            onChange: ({ target }: { target: { value: string } }) => {
              if (isWebsocketUrl(target.value) && methods.includes('GET')) setValue(`${hook}.method`, 'GET')
            },
          })}
        />
        <SelectField
          label={
            <>
              <span className="visually-hidden">{title} </span>Method
            </>
          }
          aria-disabled={fixed || undefined}
          {...register(`${hook}.method`)}
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
        {...register(`${hook}.withAuthentication`)}
      />
      {withAuthentication && (
        <FieldRow>
          <TextField
            label={`${title} username`}
            autoComplete="off"
            error={errors?.username?.message}
            {...register(`${hook}.username`)}
          />
          <PasswordField
            label={`${title} password`}
            autoComplete="new-password"
            error={errors?.password?.message}
            {...register(`${hook}.password`)}
          />
        </FieldRow>
      )}
    </div>
  )
}

/** The two webhooks of an account. */
export const WebhooksSection = () => (
  <FormSection title="Webhooks" description="Where the platform asks and reports. Leave an address empty for none.">
    <HookFields
      hook="registration_hook"
      title="Registration webhook"
      hint="Asked when a SIP device of this account registers."
      methods={hookMethods}
    />
    <HookFields
      hook="queue_event_hook"
      title="Queue event webhook"
      hint="Told when calls join and leave queues."
      methods={['POST']}
    />
  </FormSection>
)
