import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { ApiError, somethingWentWrong } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { toaster } from '../../feedback/toaster.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { createPassword } from '../../routes/create-password.ts'
import { forgotPassword } from '../../routes/forgot-password.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink, startPath, useNavigateTo, useScreenSearch } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { flashes, startSession, takeFlash } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { TextField } from '../../ui/fields/text-field.tsx'

/**
 * Returns the messages for a failed sign-in. A second message tells how long a lockout lasts, if the server reports it
 * (AUTH-13).
 */
const signInErrorMessages = (error: unknown): string[] => {
  if (!(error instanceof ApiError)) return [somethingWentWrong]
  if (error.kind === 'unreachable') return ['The server cannot be reached']
  if (error.status < 400 || error.status >= 500) return [somethingWentWrong]
  return ['Login credentials are incorrect', ...(error.detail ? [error.detail] : [])]
}

const useFlash = (): void => {
  useEffect(() => {
    const text = takeFlash()
    if (text === null) return
    if (text === flashes.signedOut) toaster.success(text)
    else toaster.failure(text)
  })
}

/** Focuses the name field if there is a mouse. On a touch screen, the focus would open the keyboard over the page. */
const useInitialFocus = () => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [])
  return field
}

const HostedWays = lazy(async () => ({ default: (await import('./hosted-options.tsx')).HostedWays }))

/** Sign-in with user name and password. */
export const SignInPage = (): ReactNode => {
  const nameField = useInitialFocus()
  useFlash()
  const { next, again } = useScreenSearch(signIn)
  const navigate = useNavigate()
  const go = useNavigateTo()
  const [messages, setMessages] = useState<readonly string[]>([])
  const { busy, onSubmit } = useFormSubmit(async (form) => {
    const username = formText(form, 'username')
    const password = formText(form, 'password')
    if (username === '' || password === '') return setMessages(['Enter your username and password'])
    setMessages([])
    try {
      const answer = await api('POST /login', { body: { username, password } }, { ownFailures: true })
      startSession(answer.token)
      if (answer.force_change) {
        stored.userSid.write(answer.user_sid)
        stored.oldPassword.write(password)
        await go({ to: createPassword })
      } else if (again) window.location.assign(next ?? '/')
      else if (next) await navigate({ href: next })
      else if (config().hosting) await navigate({ href: await (await import('./hosted-landing.ts')).hostedStart() })
      else await navigate({ to: startPath })
    } catch (error) {
      setMessages(signInErrorMessages(error))
    }
  })

  return (
    <PublicPage screen={signIn} description="Manage carriers, numbers, applications, and calls.">
      <form onSubmit={onSubmit} noValidate aria-label="Log in">
        <TextField
          ref={nameField}
          label="Username"
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <PasswordField label="Password" name="password" autoComplete="current-password" required />
        <div role="alert">
          {messages.length > 0 && (
            <Banner tone="bad">
              {messages.map((message) => (
                <p key={message}>{message}</p>
              ))}
            </Banner>
          )}
        </div>
        <Button type="submit" variant="primary" busy={busy}>
          Log in
        </Button>
        {config().switches.has('forgot-password') && (
          <ScreenLink to={forgotPassword} className={buttonClass('ghost')}>
            Forgot Password
          </ScreenLink>
        )}
        {config().hosting && (
          <Suspense>
            <HostedWays />
          </Suspense>
        )}
      </form>
    </PublicPage>
  )
}
