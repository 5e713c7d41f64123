import type { ReactNode } from 'react'
import { ApiError, errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { validateEmail } from '../../form/validate-email.ts'
import { register, registerByEmail, verifyEmail } from '../../routes/register.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { startSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './register.module.css'

const activationCodeDigits = 6

/**
 * Returns a random activation code for the upstream jambonz server, which mails the code that the browser sends.
 * Returns an empty text if the server generates the code itself.
 */
const createActivationCode = (): string => {
  if (config().extensions.has('activation-codes')) return ''
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  return String(number % 10 ** activationCodeDigits).padStart(activationCodeDigits, '0')
}

interface Faults {
  email?: string | undefined
  password?: string | undefined
}

const validate = (email: string, password: string): Faults => ({
  email: validateEmail(email),
  password: password === '' ? 'Enter a password' : undefined,
})

/** Assigns an error of the server to the form field that it names. */
const toFieldErrors = (error: unknown): Faults =>
  error instanceof ApiError && (error.field === 'email' || error.field === 'password')
    ? { [error.field]: error.message }
    : {}

/** Second step of the registration: email address and password. */
export const RegisterByEmailPage = (): ReactNode => {
  const go = useNavigateTo()
  const { errors, setErrors, findErrors, onChange } = useFormErrors((form) =>
    validate(formText(form, 'email').trim(), formText(form, 'password')),
  )
  const { busy, failure, onSubmit } = useFormSubmit(async (form) => {
    const email = formText(form, 'email').trim()
    const password = formText(form, 'password')
    if (findErrors(form)) return
    const service_provider_sid = config().hosting?.serviceProvider
    const email_activation_code = createActivationCode()
    const body = { service_provider_sid, provider: 'local', email, password, email_activation_code, inviteCode: '' }
    const { jwt, root_domain } = await api('POST /register', { body }, { ownFailures: true }).catch(
      (error: unknown): never => {
        setErrors(toFieldErrors(error))
        throw error
      },
    )
    startSession(jwt)
    if (root_domain) stored.rootDomain.write(root_domain)
    await go({ to: verifyEmail })
  })
  const isElsewhere = failure !== undefined && Object.keys(toFieldErrors(failure)).length === 0

  return (
    <PublicPage screen={registerByEmail} description="We send a code to this address to verify it.">
      <form onSubmit={onSubmit} onChange={onChange} noValidate aria-label={registerByEmail.title}>
        <TextField label="Email" name="email" type="email" autoComplete="email" error={errors.email} required />
        <PasswordField label="Password" name="password" autoComplete="new-password" error={errors.password} required />
        <div role="alert">{isElsewhere && <Banner tone="bad">{errorMessage(failure)}</Banner>}</div>
        <div className={styles['row']}>
          <Button type="submit" variant="primary" busy={busy}>
            Continue
          </Button>
          <Button onClick={() => void go({ to: register })}>Go back</Button>
        </div>
      </form>
    </PublicPage>
  )
}
