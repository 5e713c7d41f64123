import {
  missingPasswordRequirements,
  normalizePassword,
  passwordRequirementLabel,
} from '@patchbay/rules/identity/passwords'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError, errorMessage, somethingWentWrong } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { usePasswordPolicy } from '../../api/use-password-policy.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { createPassword } from '../../routes/create-password.ts'
import { startPath } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { signOut } from '../../session/keep-alive.ts'
import { unknownPassword } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { NewPasswordField } from '../../ui/fields/new-password-field.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import styles from './create-password.module.css'

interface Problem {
  text: string
  /** The rules of the password policy that the new password does not meet. */
  demands?: string[]
}

const Problems = ({ problem }: { problem: Problem | undefined }) => (
  <div role="alert">
    {problem && (
      <Banner tone="bad">
        <p>{problem.text}</p>
        {problem.demands && (
          <ul className={styles['demands']}>
            {problem.demands.map((demand) => (
              <li key={demand}>{demand}</li>
            ))}
          </ul>
        )}
      </Banner>
    )}
  </div>
)

const errorText = (error: unknown): string =>
  error instanceof ApiError && error.field === 'old_password'
    ? 'The current password was not accepted'
    : errorMessage(error)

/** The session ends when this page is left. If the browser shows the page again, it is loaded again. */
const reloadIfRestored = ({ persisted }: PageTransitionEvent): void => {
  if (persisted) location.reload()
}

/**
 * Changes the password, as the server requires after the first sign-in. Asks for the current password unless the user
 * has just signed in with it in this tab.
 */
export const CreatePasswordPage = (): ReactNode => {
  const navigate = useNavigate()
  const policy = usePasswordPolicy()
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [asksPassword] = useState(() => stored.oldPassword.read() === unknownPassword)

  useEffect(() => {
    window.addEventListener('pageshow', reloadIfRestored)
    return () => window.removeEventListener('pageshow', reloadIfRestored)
  }, [])

  const check = (password: string, confirmation: string): Problem | undefined => {
    if (normalizePassword(password) !== normalizePassword(confirmation)) return { text: 'Passwords do not match' }
    const faults = missingPasswordRequirements(password, policy)
    if (faults.length === 0) return undefined
    return { text: 'Password must:', demands: faults.map((fault) => passwordRequirementLabel(fault, policy)) }
  }

  const save = async (new_password: string, entered: string): Promise<Problem | undefined> => {
    const old_password = asksPassword ? entered : stored.oldPassword.read()
    const user_sid = stored.userSid.read()
    if (old_password === null || user_sid === null) return { text: somethingWentWrong }
    return api(
      'PUT /Users/:user_sid',
      { params: { user_sid }, body: { old_password, new_password } },
      { once: true },
    ).then(
      () => undefined,
      (error: unknown) => ({ text: errorText(error) }),
    )
  }

  const findProblem = (form: HTMLFormElement): Problem | undefined =>
    asksPassword && formText(form, 'old-password') === ''
      ? { text: 'Enter your current password' }
      : check(formText(form, 'new-password'), formText(form, 'confirmation'))

  const { busy, onSubmit } = useFormSubmit(async (form) => {
    const currentProblem = findProblem(form)
    setProblem(currentProblem)
    if (currentProblem) return
    const failed = await save(formText(form, 'new-password'), formText(form, 'old-password'))
    if (failed) return setProblem(failed)
    stored.oldPassword.clear()
    stored.userSid.clear()
    // The screen that led here may still wait for responses, which reject requests from before the change.
    await queryClient.cancelQueries()
    await navigate({ to: startPath })
  })

  return (
    <PublicPage screen={createPassword} description="Choose your own password to continue.">
      <form
        onSubmit={onSubmit}
        // The message goes when its field is corrected. Another one appears only when the form is sent again.
        onChange={({ currentTarget }) => {
          const current = findProblem(currentTarget)
          setProblem((previous) => (previous?.text === current?.text ? current : undefined))
        }}
        noValidate
        aria-label="Create password"
      >
        {asksPassword && (
          <PasswordField label="Current password" name="old-password" autoComplete="current-password" required />
        )}
        <NewPasswordField
          label="New password"
          name="new-password"
          required
          policy={policy}
          typed={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <PasswordField label="Confirm new password" name="confirmation" autoComplete="new-password" required />
        <Problems problem={problem} />
        <Button type="submit" variant="primary" busy={busy}>
          Create password
        </Button>
        <Button variant="ghost" onClick={() => void signOut()}>
          Log out
        </Button>
      </form>
    </PublicPage>
  )
}
