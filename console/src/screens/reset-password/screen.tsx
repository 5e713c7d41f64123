import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { toaster } from '../../feedback/toaster.ts'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { forgotPassword } from '../../routes/forgot-password.ts'
import { resetPassword } from '../../routes/reset-password.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { endSession } from '../../session/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import { passwordHint, validatePasswords } from './password-check.ts'

/** Only this page keeps the token of the link, so its session ends when the user leaves the page. */
const exchange = (link: string) => api('POST /signin', { body: { link } }, { ownFailures: true })

const isLinkInvalid = (error: unknown): boolean => error instanceof ApiError && [401, 403, 404].includes(error.status)

/** Exchanges the link for a token when the page opens, and reads the password policy with it. */
const useLink = (link: string) => {
  const [token, setToken] = useState<string>()
  const [name, setName] = useState<string>()
  const [ofPolicy, setOfPolicy] = useState<(password: string) => string | undefined>()
  const [isDead, setIsDead] = useState(false)

  const failed = useCallback((error: unknown): void => {
    setIsDead(isLinkInvalid(error))
    toaster.failure(errorMessage(error))
  }, [])

  useEffect(() => {
    const open = async () => {
      const { jwt: linkToken, name: userName } = await exchange(link)
      setToken(linkToken)
      setName(userName)
      // Without the policy, the server reports missing requirements when the password is saved.
      const policyHintParts = Promise.all([
        api('GET /PasswordSettings', {}, { token: linkToken, ownFailures: true }),
        import('./policy-hint.ts'),
      ])
      const hint = await policyHintParts.then(([policy, { policyHint }]) => policyHint(policy)).catch(() => undefined)
      setOfPolicy(() => hint)
    }
    open().catch(failed)
  }, [link, failed])

  return { token, name, ofPolicy, isDead, failed }
}

/** Sets a new password with the link from an email. */
export const ResetPasswordPage = (): ReactNode => {
  const { id: link } = useScreenParams(resetPassword)
  const go = useNavigateTo()
  const { token, name, ofPolicy, isDead, failed } = useLink(link)
  const [password, setPassword] = useState('')
  const { errors, setErrors, findErrors, onChange } = useFormErrors((form) =>
    validatePasswords(formText(form, 'new-password'), formText(form, 'confirmation')),
  )

  const { busy, onSubmit } = useFormSubmit(async (form) => {
    if (findErrors(form)) return
    try {
      const body = { old_password: link, new_password: password }
      await api('POST /change-password', { body }, { token: token ?? (await exchange(link)).jwt, ownFailures: true })
      toaster.success('New password was successfully set.')
      endSession()
      await go({ to: signIn })
    } catch (error) {
      if (error instanceof ApiError && error.field === 'new_password') setErrors({ password: error.message })
      failed(error)
    }
  })

  return (
    <PublicPage screen={resetPassword} description="Choose a new password. It ends all your sessions.">
      <form onSubmit={onSubmit} onChange={onChange} noValidate aria-label={resetPassword.title}>
        {isDead && (
          <Banner tone="bad">
            <p>
              This link was already used or has expired.{' '}
              <ScreenLink to={forgotPassword}>Request another one</ScreenLink>
            </p>
          </Banner>
        )}
        {/* Password managers store the new password for this name, which invited users do not know yet. */}
        {name !== undefined && (
          <TextField label="Username" name="username" autoComplete="username" value={name} readOnly />
        )}
        <PasswordField
          label="New password"
          name="new-password"
          autoComplete="new-password"
          hint={passwordHint(password, ofPolicy)}
          error={errors.password}
          onChange={(event) => setPassword(event.target.value)}
          required
        />
        <PasswordField
          label="Confirm new password"
          name="confirmation"
          autoComplete="new-password"
          error={errors.confirmation}
          required
        />
        <Button type="submit" variant="primary" busy={busy}>
          Save
        </Button>
      </form>
    </PublicPage>
  )
}
