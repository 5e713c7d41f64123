import { isAtLeast } from '@patchbay/contract/access'
import type { ServiceProvider } from '@patchbay/contract/service-providers'
import { ScreenLink } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { settings } from '../../routes/settings.ts'

/** Warns that the provider has no domain for calls from Microsoft Teams, and links to the page where it is set. */
export const NoDomain = ({ provider }: { provider: ServiceProvider }) => (
  <>
    <bdi>{provider.name}</bdi> has no domain name for Microsoft Teams, and gets no calls from it.{' '}
    {isAtLeast(requiredSession().actor.scope, 'service_provider') ? (
      <ScreenLink to={settings} search={{ tab: 'provider' }}>
        Set it in Settings
      </ScreenLink>
    ) : (
      'Your service provider sets it.'
    )}
  </>
)
