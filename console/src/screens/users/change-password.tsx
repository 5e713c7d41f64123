import type { User } from '@patchbay/contract/users'
import { missingPasswordRequirements, normalizePassword } from '@patchbay/rules/identity/passwords'
import { useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { usePasswordPolicy } from '../../api/use-password-policy.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText } from '../../form/use-form-submit.ts'
import { NewPasswordField } from '../../ui/fields/new-password-field.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { userQuery } from './queries.ts'

interface PasswordChange {
  old_password: string
  new_password: string
}

interface Faults {
  old?: string
  chosen?: string
  again?: string
}

/** Assigns an error of the server to the field that it concerns. */
const serverErrors = (error: Error): Faults => {
  if (!(error instanceof ApiError)) return {}
  if (error.field === 'new_password') return { chosen: error.message }
  return error.status === 403 ? { old: 'The old password was not accepted' } : {}
}

/** Dialog in which users change their own password. The old password is required, and all other sessions end. */
export const ChangePassword = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const { user_sid, name } = user
  const policy = usePasswordPolicy()
  const [typed, setTyped] = useState('')
  const { errors, setErrors, findErrors, onChange } = useFormErrors((form): Faults => {
    const chosen = formText(form, 'new-password')
    return {
      ...(formText(form, 'old-password') === '' ? { old: 'Enter your current password' } : {}),
      ...(missingPasswordRequirements(chosen, policy).length > 0 ? { chosen: 'Invalid password.' } : {}),
      ...(normalizePassword(formText(form, 'confirmation')) === normalizePassword(chosen)
        ? {}
        : { again: 'Passwords do not match' }),
    }
  })
  const change = useAction({
    run: (body: PasswordChange) => api('PUT /Users/:user_sid', { params: { user_sid }, body }, { once: true }),
    done: () => 'User updated successfully',
    changes: [userQuery(user_sid).queryKey],
    after: onClose,
  })
  const mutate = (body: PasswordChange) => change.mutate(body, { onError: (error) => setErrors(serverErrors(error)) })
  const readPasswords = (form: HTMLFormElement): PasswordChange | undefined =>
    findErrors(form)
      ? undefined
      : { old_password: formText(form, 'old-password'), new_password: formText(form, 'new-password') }
  return (
    <FormDialog
      title="Change password"
      submitLabel="Change password"
      action={{ ...change, mutate }}
      readInput={readPasswords}
      onChange={onChange}
      onClose={onClose}
    >
      {/* Password managers store the new password for this user name. */}
      <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
      <PasswordField
        label="Old password"
        name="old-password"
        autoComplete="current-password"
        required
        data-autofocus
        error={errors.old}
      />
      <NewPasswordField
        label="New password"
        name="new-password"
        required
        policy={policy}
        typed={typed}
        error={errors.chosen}
        onChange={({ target }) => setTyped(target.value)}
      />
      <PasswordField
        label="Confirm new password"
        name="confirmation"
        autoComplete="new-password"
        required
        error={errors.again}
      />
      <p className="note">This ends all your other sessions.</p>
    </FormDialog>
  )
}
