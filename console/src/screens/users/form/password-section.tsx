import type { PasswordPolicy } from '@patchbay/rules/identity/passwords'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useFields } from '../../../form/use-fields.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { NewPasswordField } from '../../../ui/fields/new-password-field.tsx'
import { hasInvitations } from '../queries.ts'
import type { UserValues } from './user-form.ts'

const describePassword = (isNew: boolean, canInvite: boolean): string => {
  if (!isNew) return 'Leave it empty to keep the current password. A new password ends the user’s sessions.'
  return canInvite
    ? 'Give a temporary password to the user, or let the user choose one with a link in an email.'
    : 'Give this password to the user. Patchbay sends no email.'
}

interface PasswordSectionProps {
  isNew: boolean
  policy: PasswordPolicy
  /** Button beside the title. */
  action?: ReactNode
}

/** Temporary password of a user, and whether the user must change it at the next sign-in. */
export const PasswordSection = ({ isNew, policy, action }: PasswordSectionProps) => {
  const field = useFields<UserValues>()
  const { control, register, setValue, formState } = useFormContext<UserValues>()
  const [typed, invites] = useWatch({ control, name: ['initial_password', 'invites'] })
  const isTyped = typed !== ''
  const wasTyped = useRef(isTyped)
  const storedForce = formState.defaultValues?.force_change ?? false
  // A password that someone else knows is temporary, unless the administrator clears the box after typing it.
  useEffect(() => {
    if (isNew || isTyped === wasTyped.current) return
    wasTyped.current = isTyped
    setValue('force_change', isTyped || storedForce, { shouldDirty: true })
  }, [isNew, isTyped, storedForce, setValue])
  const canInvite = hasInvitations()
  return (
    <FormSection title="Password" description={describePassword(isNew, canInvite)} action={action}>
      {isNew && canInvite && (
        <CheckboxField
          label="Send an invitation by email"
          hint="The link in the email works once and for three days."
          {...register('invites')}
        />
      )}
      {!invites && (
        <>
          <NewPasswordField
            label="Temporary password"
            required={isNew}
            policy={policy}
            typed={typed}
            {...field('initial_password')}
          />
          <CheckboxField
            label="Force change of password"
            hint="The user must choose a new password at the next sign-in."
            {...field('force_change')}
          />
        </>
      )}
    </FormSection>
  )
}
