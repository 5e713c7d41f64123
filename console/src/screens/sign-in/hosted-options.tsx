import { register } from '../../routes/register.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ProviderButtons } from '../../sections/oauth/provider-buttons.tsx'
import { buttonClass } from '../../ui/button.tsx'

/**
 * Additional ways to sign in, for hosted installations only. A chunk of its own, because other installations never
 * load it.
 */
export const HostedWays = () => (
  <>
    <ProviderButtons saying="Sign In With" from="/sign-in" />
    <ScreenLink to={register} className={buttonClass('ghost')}>
      Register
    </ScreenLink>
  </>
)
