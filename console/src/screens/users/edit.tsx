import { can, isAtLeast } from '@patchbay/contract/access'
import type { User } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { accountsQuery, meQuery } from '../../api/queries.ts'
import { userQuery } from './queries.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { usePasswordPolicy } from '../../api/use-password-policy.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { ChangePassword } from './change-password.tsx'
import { DeleteUser } from './delete-user.tsx'
import { AccessSection } from './form/access-section.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { PasswordSection } from './form/password-section.tsx'
import { OwnerSection } from './form/owner-section.tsx'
import {
  userRefusal,
  toPayload,
  type UserValues,
  userValues,
  toFormValues,
  requiresPassword,
} from './form/user-form.ts'
import { assignableScopes } from './assignable-scopes.ts'
import { editUser, userList } from '../../routes/users.ts'
import { UserState, You } from './user-state.tsx'

export const loader = ({ params: { user_sid } }: { params: { user_sid: string } }): Promise<unknown> =>
  prefetchWithin(() =>
    Promise.all([queryClient.ensureQueryData(userQuery(user_sid)), readLastChange('user', user_sid)]),
  )

/** Edits a user. The SID comes from the URL. */
export const EditUserPage = (): ReactNode => {
  const { user_sid } = useScreenParams(editUser)
  const user = useQuery(userQuery(user_sid))
  const isLastChangeLoaded = useLastChangeKnown('user', user_sid)
  useRedirectOnError(user.data ? undefined : user.error, userList.path)
  if (user.data && isLastChangeLoaded) return <UserRecord key={user_sid} user={user.data} refusal={user.error} />
  return (
    <>
      <ScreenHeader screen={editUser} />
      {user.isError && !isAccessError(user.error) ? (
        <LoadFailed
          message={errorMessage(user.error)}
          requestId={getRequestId(user.error)}
          onRetry={() => void user.refetch()}
        />
      ) : (
        <FormSkeleton sections={4} />
      )}
    </>
  )
}

const isSelf = ({ user_sid }: User): boolean => user_sid === requiredSession().claims.user_sid

const UserRecord = ({ user, refusal }: { user: User; refusal: Error | null }) => {
  const go = useNavigateTo()
  const [asked, setAsked] = useState<'delete' | 'password'>()
  const close = () => setAsked(undefined)
  const { actor } = requiredSession()
  return (
    <>
      <RecordHeader
        screen={editUser}
        name={user.name}
        sid={user.user_sid}
        changed={<LastChange kind="user" sid={user.user_sid} />}
        state={
          <>
            <UserState user={user} />
            {isSelf(user) && <You />}
          </>
        }
        actions={
          <>
            <ExportMenu
              endpoint="GET /Users/:user_sid"
              input={{ params: { user_sid: user.user_sid } }}
              rows={() => [user]}
            />
            {isSelf(user) && user.provider === 'local' && (
              <Button onClick={() => setAsked('password')}>Change password</Button>
            )}
            {can(actor, 'write', user) && <Button onClick={() => setAsked('delete')}>Delete user</Button>}
          </>
        }
      />
      <ScreenTabs
        screen={editUser}
        label="Parts of the user"
        tabs={[
          { id: 'details', label: 'Details', stays: true, content: <UserEditor user={user} refusal={refusal} /> },
          ...historyTab({ kind: 'user', sid: user.user_sid }),
        ]}
      />
      {asked === 'password' && <ChangePassword user={user} onClose={close} />}
      {asked === 'delete' && (
        <DeleteUser
          user={user}
          onClose={close}
          onDeleted={() => go({ ...listBackLink(userList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

/** Form of the user. Refetches of the user never overwrite unsaved edits. */
const UserEditor = ({ user, refusal }: { user: User; refusal: Error | null }) => {
  const { user_sid } = user
  const { actor } = requiredSession()
  const go = useNavigateTo()
  const current = useProviderSid()
  // An admin who gets a lower scope becomes a user of the current service provider.
  const service_provider_sid = user.service_provider_sid ?? current
  const accounts = useQuery(accountsQuery(service_provider_sid)).data
  const hasAccounts = accounts?.length !== 0
  const policy = usePasswordPolicy()
  const stored = useMemo(() => toFormValues(user), [user])
  const others = !isSelf(user)
  const guardsEmail = !others && user.provider === 'local' && config().switches.has('password-for-email')

  const changed = (values: UserValues, before: UserValues) => {
    const { initial_password } = values
    const passwords = {
      ...(initial_password === '' ? {} : { initial_password }),
      ...(requiresPassword(values.email, before, { guardsEmail }) ? { old_password: values.old_password } : {}),
    }
    const members = changedMembers<object>(
      { ...toPayload(values, service_provider_sid), ...passwords },
      toPayload(before, service_provider_sid),
    )
    // The upstream jambonz server resets `is_view_only` if the request omits it (api/1-identity.md §5.5).
    return Object.keys(members).length === 0 ? undefined : { ...members, is_view_only: values.is_view_only }
  }

  const change = useAction({
    run: (body: NonNullable<ReturnType<typeof changed>>) => api('PUT /Users/:user_sid', { params: { user_sid }, body }),
    done: () => 'User updated successfully',
    changes: [['users'], userQuery(user_sid).queryKey, ...(others ? [] : [meQuery.queryKey])],
  })

  const state = useRecordForm({
    schema: useMemo(
      () => userValues({ policy, isNew: false, hasAccounts, guardsEmail }, stored),
      [policy, hasAccounts, guardsEmail, stored],
    ),
    stored,
    latest: async () => toFormValues(await queryClient.fetchQuery({ ...userQuery(user_sid), staleTime: 0 })),
    refusal: userRefusal,
    save: async (values, before) => {
      const body = changed(values, before)
      if (body) await change.mutateAsync(body)
      highlightRow(userList, user_sid)
      await go({ ...listBackLink(userList), ignoreBlocker: true })
    },
  })

  const email = useWatch({ control: state.form.control, name: 'email' })

  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, userList.path)

  return (
    <RecordForm
      label="Edit user"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(userList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      {others && isAtLeast(actor.scope, 'service_provider') && (
        <OwnerSection
          scopes={assignableScopes(stored.scope)}
          hint="A user can be moved down, never up."
          service_provider_sid={service_provider_sid}
          hasAccounts={hasAccounts}
        />
      )}
      <DetailsSection user_sid={user_sid} asksPassword={requiresPassword(email, stored, { guardsEmail })} />
      {others && user.provider === 'local' && <PasswordSection isNew={false} policy={policy} />}
      {others && <AccessSection />}
    </RecordForm>
  )
}
