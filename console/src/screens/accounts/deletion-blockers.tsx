import type { AccountBlockers } from '@patchbay/contract/accounts'
import type { DependentKind } from '../../record/dependents-dialog.tsx'
import { recordNouns } from '../../record/record-counts.ts'
import { editAccount } from '../../routes/accounts.ts'
import { editApplication } from '../../routes/applications.ts'
import { editTeamsTenant } from '../../routes/ms-teams-tenants.ts'
import { editPhoneNumber } from '../../routes/phone-numbers.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { PhoneNumberText } from '../../ui/format/phone-number.tsx'

/** Returns the dependents that block the deletion of an account, with links to each of them. */
export const blockingKinds = (blockers: AccountBlockers, account_sid: string, onLeave: () => void): DependentKind[] => [
  {
    nouns: recordNouns.applications,
    uses: blockers.applications,
    show: ({ sid, name }) => (
      <ScreenLink to={editApplication} params={{ application_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    ),
  },
  {
    nouns: recordNouns.phone_numbers,
    uses: blockers.phone_numbers,
    show: ({ sid, name }) => (
      <ScreenLink to={editPhoneNumber} params={{ phone_number_sid: sid }} onClick={onLeave}>
        <PhoneNumberText value={name} />
      </ScreenLink>
    ),
  },
  {
    nouns: recordNouns.ms_teams_tenants,
    uses: blockers.ms_teams_tenants,
    show: ({ sid, name }) => (
      <ScreenLink to={editTeamsTenant} params={{ ms_teams_tenant_sid: sid }} onClick={onLeave}>
        <bdi>{name}</bdi>
      </ScreenLink>
    ),
  },
  {
    nouns: recordNouns.api_keys,
    uses: blockers.api_keys,
    show: ({ name }) => <code>{name}</code>,
    after: (
      <ScreenLink to={editAccount} params={{ account_sid }} onClick={onLeave}>
        Show the API keys of this account
      </ScreenLink>
    ),
  },
]
