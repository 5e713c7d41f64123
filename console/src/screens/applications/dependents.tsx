import type { ApplicationUses } from '@patchbay/contract/applications'
import type { DependentKind } from '../../record/dependents-dialog.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { editCarrier } from '../../routes/carriers.ts'
import { editTeamsTenant } from '../../routes/ms-teams-tenants.ts'
import { editPhoneNumber } from '../../routes/phone-numbers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'

type Show = NonNullable<DependentKind['show']>

const toDependentKind = (nouns: DependentKind['nouns'], uses: DependentKind['uses'], show?: Show): DependentKind => ({
  nouns,
  uses,
  ...(show ? { show } : {}),
})

/** Returns what uses an application, by kind, with links to the records. */
export const applicationKinds = (uses: ApplicationUses, onLeave?: () => void): DependentKind[] => {
  const account: Show = ({ sid, name }) => (
    <ScreenLink to={editAccount} params={{ account_sid: sid }} onClick={onLeave}>
      <bdi>{name}</bdi>
    </ScreenLink>
  )
  return [
    toDependentKind(['phone number', 'phone numbers'], uses.phone_numbers, ({ sid, name }) => (
      <ScreenLink to={editPhoneNumber} params={{ phone_number_sid: sid }} onClick={onLeave}>
        <PhoneNumberText value={name} />
      </ScreenLink>
    )),
    toDependentKind(
      ['account, for calls of its devices', 'accounts, for calls of their devices'],
      uses.device_calling_accounts,
      account,
    ),
    toDependentKind(['account, for SIPREC calls', 'accounts, for SIPREC calls'], uses.siprec_accounts, account),
    toDependentKind(['MS Teams tenant', 'MS Teams tenants'], uses.ms_teams_tenants, ({ sid, name }) => (
      <ScreenLink to={editTeamsTenant} params={{ ms_teams_tenant_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    )),
    toDependentKind(['carrier', 'carriers'], uses.voip_carriers, ({ sid, name }) => (
      <ScreenLink to={editCarrier} params={{ voip_carrier_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    )),
    toDependentKind(['call route', 'call routes'], uses.call_routes),
  ]
}
