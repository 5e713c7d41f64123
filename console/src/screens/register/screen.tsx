import { type ReactNode, useState } from 'react'
import { config } from '../../api/configuration.ts'
import { register, registerByEmail } from '../../routes/register.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { ProviderButtons } from '../../sections/oauth/provider-buttons.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/fields/field.tsx'
import styles from './register.module.css'

/** First step of the registration: accept the terms and select a way to register. */
export const RegisterPage = (): ReactNode => {
  const [accepted, setAccepted] = useState(false)
  const { termsUrl, privacyUrl } = config().hosting ?? {}
  return (
    <PublicPage screen={register} description="Create your own account with a free trial of three weeks.">
      <div className={styles['steps']}>
        <CheckboxField
          label={
            <>
              I accept the <a href={termsUrl}>Terms of Service</a> and have read the{' '}
              <a href={privacyUrl}>Privacy Policy</a>
            </>
          }
          checked={accepted}
          onChange={(event) => setAccepted(event.target.checked)}
        />
        {accepted && (
          <div className={styles['ways']} role="group" aria-label="Ways to register">
            <ScreenLink to={registerByEmail} className={buttonClass('primary')}>
              Sign Up With Email
            </ScreenLink>
            <ProviderButtons saying="Sign Up With" from="/register" />
          </div>
        )}
        <ScreenLink to={signIn} className={buttonClass('ghost')}>
          Back to log in
        </ScreenLink>
      </div>
    </PublicPage>
  )
}
