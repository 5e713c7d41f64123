import { can, isAtLeast } from '@patchbay/contract/api/access'
import type { BodyInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import type { User } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { accountsQuery, meQuery } from '../../api/shared-queries.ts'
import { usePasswordPolicy } from '../../api/use-password-policy.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { editUser, userList } from '../../routes/users.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { ChangePassword } from './change-password.tsx'
import { DeleteUser } from './delete-user.tsx'
import { AccessSection } from './form/access-section.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { OwnerSection } from './form/owner-section.tsx'
import { PasswordSection } from './form/password-section.tsx'
import {
  requiresPassword,
  toFormValues,
  toPayload,
  toPromotion,
  type UserValues,
  userFieldErrors,
  userValues,
} from './form/user-form.ts'
import { InviteButton } from './invite-button.tsx'
import { userQuery } from './queries.ts'
import { assignableScopes } from './user-filters.ts'
import { UserState, You } from './user-state.tsx'

const page = { screen: editUser, list: userList, kind: 'user' } as const

export const loader = ({ params: { user_sid } }: { params: { user_sid: string } }) =>
  prefetchRecord(page.kind, user_sid, userQuery(user_sid))

/** Edits a user. The SID comes from the URL. */
export const EditUserPage = (): ReactNode => {
  const { user_sid } = useScreenParams(editUser)
  return (
    <RecordPage {...page} sid={user_sid} query={userQuery(user_sid)} sections={4}>
      {(user, loadError) => <UserRecord user={user} loadError={loadError} />}
    </RecordPage>
  )
}

const isSelf = ({ user_sid }: User): boolean => user_sid === requiredSession().claims.user_sid

type UserBody = BodyInput<Contract['PUT /Users/:user_sid']>

interface UserProps {
  user: User
  loadError: Error | null
}

const UserRecord = ({ user, loadError }: UserProps) => {
  const { user_sid } = user
  const [isChangingPassword, setChangingPassword] = useState(false)
  return (
    <>
      <RecordView
        {...page}
        sid={user_sid}
        name={user.name}
        badge={
          <>
            <UserState user={user} />
            {isSelf(user) && <You />}
          </>
        }
        actions={
          <>
            <ExportMenu endpoint="GET /Users/:user_sid" input={{ params: { user_sid } }} rows={() => [user]} />
            {isSelf(user) && user.provider === 'local' && (
              <Button onClick={() => setChangingPassword(true)}>Change password</Button>
            )}
          </>
        }
        deletion={
          can(requiredSession().actor, 'write', user) && {
            label: 'Delete user',
            renderDialog: (handlers) => <DeleteUser user={user} {...handlers} />,
          }
        }
        tabsLabel="Parts of the user"
        details={<UserEditor user={user} loadError={loadError} />}
      />
      {isChangingPassword && <ChangePassword user={user} onClose={() => setChangingPassword(false)} />}
    </>
  )
}

const UserEditor = ({ user, loadError }: UserProps) => {
  const { user_sid } = user
  const { actor } = requiredSession()
  const current = useProviderSid()
  // An admin who gets a lower scope becomes a user of the current service provider.
  const service_provider_sid = user.service_provider_sid ?? current
  const accounts = useQuery(accountsQuery(service_provider_sid)).data
  const hasAccounts = accounts?.length !== 0
  const policy = usePasswordPolicy()
  const stored = useMemo(() => toFormValues(user), [user])
  const others = !isSelf(user)
  const canPromote = config().extensions.has('user-promotion')
  const guardsEmail = !others && user.provider === 'local' && config().switches.has('password-for-email')

  const getChanges = (values: UserValues, before: UserValues): UserBody => {
    const { initial_password } = values
    const passwords = {
      ...(initial_password === '' ? {} : { initial_password }),
      ...(requiresPassword(values.email, before, { guardsEmail }) ? { old_password: values.old_password } : {}),
    }
    const members = changedMembers<object>(
      { ...toPayload(values, service_provider_sid), ...passwords },
      toPayload(before, service_provider_sid),
    )
    // The upstream jambonz server resets `is_view_only` if the request omits it
    // (docs/reference/platform-api/identity.md#update-a-user).
    return Object.keys(members).length === 0
      ? {}
      : { ...members, ...toPromotion(values, before), is_view_only: values.is_view_only }
  }

  const update = useUpdate({
    run: (body: UserBody, options) =>
      api('PUT /Users/:user_sid', { params: { user_sid }, body }, { ...options, once: true }),
    done: () => 'User updated successfully',
    changes: [['users'], userQuery(user_sid).queryKey, ...(others ? [] : [meQuery.queryKey])],
  })

  const state = useEditForm({
    sid: user_sid,
    list: userList,
    loadError,
    schema: useMemo(
      () => userValues({ policy, isNew: false, hasAccounts, guardsEmail }, stored),
      [policy, hasAccounts, guardsEmail, stored],
    ),
    stored,
    versioned: { record: user, toValues: toFormValues },
    toFieldErrors: userFieldErrors,
    save: (values, before, options) => update(getChanges(values, before), options),
  })

  const email = useWatch({ control: state.form.control, name: 'email' })

  return (
    <RecordForm label="Edit user" state={state} list={userList}>
      {others && isAtLeast(actor.scope, 'service_provider') && (
        <OwnerSection
          scopes={assignableScopes(canPromote ? actor.scope : stored.scope)}
          hint={
            canPromote
              ? 'Another scope ends the user’s sessions.'
              : 'This server can reduce the scope of a user but not extend it.'
          }
          service_provider_sid={service_provider_sid}
          hasAccounts={hasAccounts}
        />
      )}
      <DetailsSection user_sid={user_sid} asksPassword={requiresPassword(email, stored, { guardsEmail })} />
      {others && user.provider === 'local' && (
        <PasswordSection isNew={false} policy={policy} action={<InviteButton user={user} />} />
      )}
      {others && <AccessSection />}
    </RecordForm>
  )
}
