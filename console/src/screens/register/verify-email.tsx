import { type ReactNode, useEffect, useState } from 'react'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { toaster } from '../../feedback/toaster.ts'
import { useFormErrors } from '../../form/use-form-errors.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { chooseSubdomain, registerByEmail, verifyEmail } from '../../routes/register.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { currentSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'
import styles from './register.module.css'

const missing = 'Enter the code'

/** Third step of the registration: the code from the email. */
export const VerifyEmailPage = (): ReactNode => {
  const go = useNavigateTo()
  const [session] = useState(currentSession)
  const { errors, setErrors, findErrors, onChange } = useFormErrors((form) => ({
    code: formText(form, 'code').trim() === '' ? missing : undefined,
  }))
  const [sending, setSending] = useState(false)

  // Without a session there is no address to confirm.
  useEffect(() => {
    if (session === undefined) void go({ to: registerByEmail, replace: true })
  }, [session, go])

  const user_sid = session?.claims.user_sid ?? ''
  const { busy, onSubmit } = useFormSubmit(async (form) => {
    if (findErrors(form)) return
    const params = { code: formText(form, 'code').trim() }
    try {
      await api('PUT /ActivationCode/:code', { params, body: { user_sid, type: 'email' } }, { ownFailures: true })
      await go({ to: chooseSubdomain })
    } catch (error) {
      setErrors({ code: errorMessage(error) })
    }
  })

  const sendAnother = async () => {
    setSending(true)
    try {
      const { email } = session?.claims ?? {}
      await api('POST /ActivationCode', { body: { user_sid, type: 'email', value: email } }, { ownFailures: true })
      toaster.success('A new code was sent. The previous code no longer works.')
    } catch (caught) {
      toaster.failure(errorMessage(caught))
    } finally {
      setSending(false)
    }
  }

  const goBack = () => {
    stored.token.clear()
    void go({ to: registerByEmail })
  }

  return (
    <PublicPage screen={verifyEmail} description="Please enter the code we just sent to your email">
      <form onSubmit={onSubmit} onChange={onChange} noValidate aria-label={verifyEmail.title}>
        <TextField
          label="Verification Code"
          name="code"
          mono
          inputMode="numeric"
          autoComplete="one-time-code"
          error={errors.code}
          required
        />
        <div className={styles['row']}>
          <Button type="submit" variant="primary" busy={busy}>
            Continue
          </Button>
          <Button onClick={goBack}>Go back</Button>
        </div>
        {config().extensions.has('activation-codes') && (
          <Button variant="ghost" busy={sending} onClick={() => void sendAnother()}>
            Send another code
          </Button>
        )}
      </form>
    </PublicPage>
  )
}
