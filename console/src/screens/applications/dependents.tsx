import type { DependentKind } from '../../record/dependents-dialog.tsx'
import { ScreenLink } from '../../screen/links.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { editCarrier } from '../../routes/carriers.ts'
import { editTeamsTenant } from '../../routes/ms-teams-tenants.ts'
import { editPhoneNumber } from '../../routes/phone-numbers.ts'
import type { KnownUses } from './used-by.ts'
import { PhoneNumberText } from '../../ui/phone-number.tsx'

type Show = NonNullable<DependentKind['show']>

const toDependentKinds = (
  nouns: DependentKind['nouns'],
  uses: DependentKind['uses'] | undefined,
  show?: Show,
): DependentKind[] => (uses === undefined ? [] : [{ nouns, uses, ...(show ? { show } : {}) }])

/** Returns what uses an application, by kind, with links to the records. */
export const applicationKinds = (uses: KnownUses, onLeave?: () => void): DependentKind[] => {
  const account: Show = ({ sid, name }) => (
    <ScreenLink to={editAccount} params={{ account_sid: sid }} onClick={onLeave}>
      <bdi>{name}</bdi>
    </ScreenLink>
  )
  return [
    ...toDependentKinds(['phone number', 'phone numbers'], uses.phone_numbers, ({ sid, name }) => (
      <ScreenLink to={editPhoneNumber} params={{ phone_number_sid: sid }} onClick={onLeave}>
        <PhoneNumberText value={name} />
      </ScreenLink>
    )),
    ...toDependentKinds(
      ['account, for calls of its devices', 'accounts, for calls of their devices'],
      uses.device_calling_accounts,
      account,
    ),
    ...toDependentKinds(['account, for SIPREC calls', 'accounts, for SIPREC calls'], uses.siprec_accounts, account),
    ...toDependentKinds(['MS Teams tenant', 'MS Teams tenants'], uses.ms_teams_tenants, ({ sid, name }) => (
      <ScreenLink to={editTeamsTenant} params={{ ms_teams_tenant_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    )),
    ...toDependentKinds(['carrier', 'carriers'], uses.voip_carriers, ({ sid, name }) => (
      <ScreenLink to={editCarrier} params={{ voip_carrier_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    )),
    ...toDependentKinds(['call route', 'call routes'], uses.call_routes),
  ]
}
