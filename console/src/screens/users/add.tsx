import { isAtLeast, type Scope } from '@patchbay/contract/api/access'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { accountsQuery } from '../../api/shared-queries.ts'
import { usePasswordPolicy } from '../../api/use-password-policy.ts'
import { toaster } from '../../feedback/toaster.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { startAccount } from '../../record/default-account.ts'
import { addUser, userList } from '../../routes/users.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { AccessSection } from './form/access-section.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { OwnerSection } from './form/owner-section.tsx'
import { PasswordSection } from './form/password-section.tsx'
import { emptyUser, toInvitation, toPayload, userFieldErrors, userValues } from './form/user-form.ts'
import { assignableScopes } from './user-filters.ts'

/** Returns the scope that is preselected: the narrowest, so that wide access is not given by accident. */
const narrowestScope = (own: Scope, hasAccounts: boolean): Scope =>
  hasAccounts || own === 'account' ? 'account' : 'service_provider'

/** Creates an admin, or a user of the current service provider or one of its accounts. */
export const AddUserPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const accounts = useQuery(accountsQuery(service_provider_sid)).data
  const hasAccounts = accounts?.length !== 0
  const policy = usePasswordPolicy()

  const account_sid = actor.account_sid ?? startAccount(accounts ?? [])
  const start = useMemo(
    () => ({ ...emptyUser, scope: narrowestScope(actor.scope, hasAccounts), account_sid }),
    [actor.scope, hasAccounts, account_sid],
  )

  const state = useAddForm({
    list: userList,
    create: async (values) => {
      const { initial_password } = values
      if (values.invites) {
        const body = toInvitation(values, service_provider_sid)
        const { user_sid, is_mailed } = await api('POST /patchbay/users/invitations', { body })
        if (!is_mailed) toaster.failure('The invitation could not be sent. Send it again from the page of the user.')
        return user_sid
      }
      const body = { ...toPayload(values, service_provider_sid), initial_password }
      return (await api('POST /Users', { body })).user_sid
    },
    done: 'User created successfully',
    changes: [['users']],
    getAccount: (values) => (values.scope === 'account' ? values.account_sid : ''),
    schema: useMemo(() => userValues({ policy, isNew: true, hasAccounts, guardsEmail: false }), [policy, hasAccounts]),
    stored: start,
    toFieldErrors: userFieldErrors,
  })
  return (
    <>
      <ScreenHeader screen={addUser} description="Add a person who signs in with a user name and a password." />
      <RecordForm label="Add a user" state={state} list={userList}>
        {isAtLeast(actor.scope, 'service_provider') && (
          <OwnerSection
            scopes={assignableScopes(actor.scope)}
            service_provider_sid={service_provider_sid}
            hasAccounts={hasAccounts}
          />
        )}
        <DetailsSection />
        <PasswordSection isNew policy={policy} />
        <AccessSection />
      </RecordForm>
    </>
  )
}
