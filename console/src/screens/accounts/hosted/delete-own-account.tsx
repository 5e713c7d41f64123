import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { ErrorBanner } from '../../../feedback/error-banner.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { useBlockingNotice } from '../../../feedback/use-blocking-notice.tsx'
import { useFormErrors } from '../../../form/use-form-errors.ts'
import { formText } from '../../../form/use-form-submit.ts'
import { DependentLists, isUsed } from '../../../record/dependents-dialog.tsx'
import { signOut } from '../../../session/keep-alive.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { accountBlockersQuery } from '../blockers.ts'
import { contentsText } from '../contents.ts'
import { blockingKinds } from '../deletion-blockers.tsx'
import { accountContentsQuery } from '../queries.ts'
import styles from './hosted.module.css'

interface DeleteOwnAccountProps {
  account: Account
  /** False for users who sign in with an identity provider. */
  hasPassword: boolean
  onCancel: () => void
}

const confirmationPhrase = 'delete my account'
const isPasswordError = (error: unknown): error is ApiError => error instanceof ApiError && error.field === 'password'

const uncountedContents = 'its users, applications, phone numbers, carriers, speech services, and SIP clients'

/** Form with which users of a hosted installation delete their own account and everything in it. */
export const DeleteOwnAccount = ({ account, hasPassword, onCancel }: DeleteOwnAccountProps) => {
  const { account_sid, name } = account
  const contents = useQuery(accountContentsQuery(account_sid))
  // Without a password, nothing shows that the user wants the deletion. The server then rejects an account in use.
  const canBeBlocked = !hasPassword && account.is_active === 1
  const blockers = useQuery({ ...accountBlockersQuery(account_sid), enabled: canBeBlocked })
  const { errors, setErrors, findErrors, onChange } = useFormErrors((form) => ({
    password: hasPassword && formText(form, 'password') === '' ? 'Enter your password' : undefined,
    message:
      formText(form, 'message') === confirmationPhrase
        ? undefined
        : 'You must type the delete message correctly in order to delete your account.',
  }))
  const processing = useBlockingNotice()
  const messageField = useRef<HTMLInputElement>(null)
  useEffect(() => messageField.current?.focus(), [])

  const remove = useAction({
    run: (body: { password?: string }) =>
      processing.during(() => api('DELETE /Accounts/:account_sid', { params: { account_sid }, body })),
    after: signOut,
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (remove.isPending) return
    const form = event.currentTarget
    if (findErrors(form)) {
      if (formText(form, 'message') !== confirmationPhrase) messageField.current?.focus()
      return
    }
    const body = hasPassword ? { password: formText(form, 'password') } : {}
    remove.mutate(body, { onError: (error) => isPasswordError(error) && setErrors({ password: error.message }) })
  }

  const kinds = blockers.data ? blockingKinds(blockers.data, account_sid, onCancel) : []
  if (isUsed(kinds) && !remove.isPending)
    return (
      <FormSection title="Delete Account">
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          cannot be deleted while these belong to it. Delete them first.
        </p>
        <DependentLists kinds={kinds} />
        <div className={styles['acts']}>
          <Button onClick={onCancel}>Close</Button>
        </div>
      </FormSection>
    )

  const deletedContents = contents.data ? contentsText(contents.data) : uncountedContents
  return (
    <FormSection title="Delete Account">
      <form className={styles['form']} onSubmit={submit} onChange={onChange} noValidate aria-label="Delete Account">
        <Banner tone="bad">
          <p>
            <strong>
              <bdi>{name}</bdi>
            </strong>{' '}
            will be deleted for good{deletedContents === '' ? '' : `, and with it ${deletedContents}`}. A paid
            subscription is canceled first. This cannot be undone.
          </p>
        </Banner>
        {hasPassword && (
          <PasswordField
            label="Password"
            required
            name="password"
            autoComplete="current-password"
            error={errors.password}
          />
        )}
        <TextField
          ref={messageField}
          label="Delete Message"
          name="message"
          required
          hint={`Type “${confirmationPhrase}”.`}
          autoComplete="off"
          spellCheck={false}
          error={errors.message}
        />
        {remove.error && !isPasswordError(remove.error) && <ErrorBanner error={remove.error} />}
        <div className={`${styles['acts']} ${styles['end']}`}>
          <Button onClick={onCancel}>Cancel</Button>
          <Button type="submit" variant="danger" busy={remove.isPending}>
            PERMANENTLY DELETE MY ACCOUNT
          </Button>
        </div>
      </form>
      {processing.notice}
    </FormSection>
  )
}
