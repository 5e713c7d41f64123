import type { ReactNode } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { toaster } from '../../feedback/toaster.ts'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { validateEmail } from '../../form/validate-email.ts'
import { forgotPassword } from '../../routes/forgot-password.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink, useNavigateTo } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'

const successMessage =
  'A password reset email has been sent to your email. Please check your inbox (and, possibly, spam folder) and follow the instructions to reset your password.'

/** Requests an email with a link that sets a new password. */
export const ForgotPasswordPage = (): ReactNode => {
  const go = useNavigateTo()
  const { errors, findErrors, onChange } = useFormErrors((form) => ({
    email: validateEmail(formText(form, 'email').trim()),
  }))
  const { busy, failure, onSubmit } = useFormSubmit(async (form) => {
    if (findErrors(form)) return
    await api('POST /forgot-password', { body: { email: formText(form, 'email').trim() } }, { ownFailures: true })
    toaster.success(successMessage)
    await go({ to: signIn })
  })

  return (
    <PublicPage screen={forgotPassword} description="Enter your email address, and we send you a link to reset it.">
      <form onSubmit={onSubmit} onChange={onChange} noValidate aria-label={forgotPassword.title}>
        <TextField label="Email" name="email" type="email" autoComplete="email" error={errors.email} required />
        <div role="alert">{failure !== undefined && <Banner tone="bad">{errorMessage(failure)}</Banner>}</div>
        <Button type="submit" variant="primary" busy={busy}>
          Send me a reset password link
        </Button>
        <ScreenLink to={signIn} className={buttonClass('ghost')}>
          Back to log in
        </ScreenLink>
      </form>
    </PublicPage>
  )
}
