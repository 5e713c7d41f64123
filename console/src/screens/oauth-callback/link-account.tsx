import { type SignInProviderName, signInProviders } from '@patchbay/rules/identity/sign-in-providers'
import { errorMessage } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { formText, useFormSubmit } from '../../form/use-form-submit.ts'
import { oauthCallback } from '../../routes/oauth-callback.ts'
import { signIn } from '../../routes/sign-in.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { PublicPage } from '../../screen/public-page.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'

export interface LinkOffer {
  /** Identifies the pending sign-in on the server. */
  ticket: string
  /** Text of the server that contains the email address. */
  saying: string
  provider: SignInProviderName
}

/** Asks for the password of an existing user, to link the sign-in provider to that user. */
export const LinkAccount = ({
  offer: { ticket, saying, provider },
  onLinked,
}: {
  offer: LinkOffer
  onLinked: (jwt: string) => Promise<void>
}) => {
  const name = signInProviders[provider]
  const { busy, failure, onSubmit } = useFormSubmit(async (form) => {
    const password = formText(form, 'password')
    const { jwt } = await api('POST /patchbay/sign-in-links', { body: { ticket, password } }, { ownFailures: true })
    await onLinked(jwt)
  })
  return (
    <PublicPage
      screen={oauthCallback}
      description={`A ${saying}. Enter its password once to sign in with ${name} from now on.`}
    >
      <form onSubmit={onSubmit} noValidate aria-label={`Link ${name}`}>
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          error={failure === undefined ? undefined : errorMessage(failure)}
          required
        />
        <Button type="submit" variant="primary" busy={busy}>
          Link {name}
        </Button>
        <ScreenLink to={signIn} className={buttonClass('ghost')}>
          Back to log in
        </ScreenLink>
      </form>
    </PublicPage>
  )
}
