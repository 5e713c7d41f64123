import type { Account } from '@patchbay/contract/accounts'
import { editSipRealm } from '../../../routes/sip-realm.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { ValueBox } from '../../../ui/format/sid.tsx'

/** Shows the SIP realm and links to the screen that changes it. */
export const RealmBox = ({ account: { account_sid, sip_realm } }: { account: Account }) => (
  <ValueBox label="SIP realm" hint="The domain that SIP devices of this account register with.">
    <span>{sip_realm || 'None yet'}</span>
    {!requiredSession().actor.is_view_only && (
      <ScreenLink to={editSipRealm} params={{ account_sid }} className={buttonClass('secondary', 'small')}>
        Change SIP Realm
      </ScreenLink>
    )}
  </ValueBox>
)
