import { isAtLeast } from '@patchbay/contract/api/access'
import type { AccountSummary } from '../../../record/use-accounts-in-scope.ts'
import { editAccount } from '../../../routes/accounts.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { noRealm } from './client-form.ts'

/** Warns that devices cannot register without a SIP realm, and links to the page where the realm is set. */
export const NoRealm = ({ account: { account_sid, name } }: { account: AccountSummary }) => {
  const canChange = isAtLeast(requiredSession().actor.scope, 'service_provider')
  return (
    <Banner tone="warn" role="alert" title={noRealm}>
      <p>
        Devices of <bdi>{name}</bdi> have no domain to register with. {!canChange && 'Your service provider sets it. '}
        <ScreenLink to={editAccount} params={{ account_sid }}>
          {canChange ? 'Set the SIP realm' : 'Open the account'}
        </ScreenLink>
      </p>
    </Banner>
  )
}
