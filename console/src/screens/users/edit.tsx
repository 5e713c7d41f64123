import { can, isAtLeast } from '@patchbay/contract/access'
import type { User } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { call } from '../../api/client.ts'
import { runtime } from '../../api/configuration.ts'
import { failureText, requestIdOf } from '../../api/failure.ts'
import { accountsQuery, meQuery } from '../../api/queries.ts'
import { userQuery } from './queries.ts'
import { changedMembers } from '../../page/form/changed.ts'
import { RecordForm } from '../../page/form/record-form.tsx'
import { useRecordForm } from '../../page/form/use-record-form.tsx'
import { headStart } from '../../page/head-start.ts'
import { backTo, markChanged } from '../../page/left-lists.ts'
import { ScreenLink, useGo, useScreenParams } from '../../page/links.tsx'
import { useProviderSid } from '../../page/provider-choice.ts'
import { queryClient } from '../../page/query-client.ts'
import { RecordHead } from '../../page/record-head.tsx'
import { LastChange } from '../../page/audit/last-change.tsx'
import { readLastChange } from '../../page/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../page/audit/use-last-change-known.ts'
import { historyTab } from '../../page/audit/history-tab.tsx'
import { ScreenTabs } from '../../page/screen-tabs.tsx'
import { ScreenHead } from '../../page/screen-head.tsx'
import { TakeAlong } from '../../page/take-along.tsx'
import { useAction } from '../../page/use-action.ts'
import { isNotAllowed, useLeaveWhenRefused } from '../../page/use-leave-when-refused.ts'
import { usePasswordPolicy } from '../../page/use-password-policy.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { ChangePassword } from './change-password.tsx'
import { DeleteUser } from './delete-user.tsx'
import { AccessSection } from './form/access-section.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { PasswordSection } from './form/password-section.tsx'
import { OwnerSection } from './form/place-section.tsx'
import { userRefusal, userSent, type UserValues, userValues, valuesOf, wantsPassword } from './form/user-form.ts'
import { scopesOf } from './scopes-of.ts'
import { editUser, userList } from './screens.ts'
import { UserState, You } from './user-state.tsx'

export const read = ({ params: { user_sid } }: { params: { user_sid: string } }): Promise<unknown> =>
  headStart(() => Promise.all([queryClient.ensureQueryData(userQuery(user_sid)), readLastChange('user', user_sid)]))

/** One user, loaded by sid. */
export const Screen = (): ReactNode => {
  const { user_sid } = useScreenParams(editUser)
  const user = useQuery(userQuery(user_sid))
  const isChangeKnown = useLastChangeKnown('user', user_sid)
  useLeaveWhenRefused(user.data ? undefined : user.error, userList.path)
  if (user.data && isChangeKnown) return <UserRecord key={user_sid} user={user.data} refusal={user.error} />
  return (
    <>
      <ScreenHead screen={editUser} />
      {user.isError && !isNotAllowed(user.error) ? (
        <LoadFailed
          message={failureText(user.error)}
          requestId={requestIdOf(user.error)}
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
  const go = useGo()
  const [asked, setAsked] = useState<'delete' | 'password'>()
  const close = () => setAsked(undefined)
  const { actor } = requiredSession()
  return (
    <>
      <RecordHead
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
            <TakeAlong
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
        <DeleteUser user={user} onClose={close} onDeleted={() => go({ ...backTo(userList), ignoreBlocker: true })} />
      )}
    </>
  )
}

/** Later reads of the user never touch what is being edited. */
const UserEditor = ({ user, refusal }: { user: User; refusal: Error | null }) => {
  const { user_sid } = user
  const { actor } = requiredSession()
  const go = useGo()
  const current = useProviderSid()
  // Who is moved down from admin comes into the provider one works in.
  const service_provider_sid = user.service_provider_sid ?? current
  const accounts = useQuery(accountsQuery(service_provider_sid)).data
  const hasAccounts = accounts?.length !== 0
  const policy = usePasswordPolicy()
  const stored = useMemo(() => valuesOf(user), [user])
  const others = !isSelf(user)
  const guardsEmail = !others && user.provider === 'local' && runtime().switches.has('password-for-email')

  const changed = (values: UserValues, before: UserValues) => {
    const { initial_password } = values
    const given = {
      ...(initial_password === '' ? {} : { initial_password }),
      ...(wantsPassword(values.email, before, { guardsEmail }) ? { old_password: values.old_password } : {}),
    }
    const members = changedMembers<object>(
      { ...userSent(values, service_provider_sid), ...given },
      userSent(before, service_provider_sid),
    )
    // The platform's own server takes a change that leaves this out for one that ends it (api/1-identity.md §5.5).
    return Object.keys(members).length === 0 ? undefined : { ...members, is_view_only: values.is_view_only }
  }

  const change = useAction({
    run: (body: NonNullable<ReturnType<typeof changed>>) =>
      call('PUT /Users/:user_sid', { params: { user_sid }, body }),
    done: () => 'User updated successfully',
    changes: [['users'], userQuery(user_sid).queryKey, ...(others ? [] : [meQuery.queryKey])],
  })

  const state = useRecordForm({
    schema: useMemo(
      () => userValues({ policy, isNew: false, hasAccounts, guardsEmail }, stored),
      [policy, hasAccounts, guardsEmail, stored],
    ),
    stored,
    latest: async () => valuesOf(await queryClient.fetchQuery({ ...userQuery(user_sid), staleTime: 0 })),
    refusal: userRefusal,
    save: async (values, before) => {
      const body = changed(values, before)
      if (body) await change.mutateAsync(body)
      markChanged(userList, user_sid)
      await go({ ...backTo(userList), ignoreBlocker: true })
    },
  })

  const email = useWatch({ control: state.form.control, name: 'email' })

  // A later read that is refused takes nobody away from what they typed; saving says what is wrong.
  useLeaveWhenRefused(state.form.formState.isDirty ? undefined : refusal, userList.path)

  return (
    <RecordForm
      label="Edit user"
      state={state}
      cancel={
        <ScreenLink {...backTo(userList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      {others && isAtLeast(actor.scope, 'service_provider') && (
        <OwnerSection
          scopes={scopesOf(stored.scope)}
          hint="A user can be moved down, never up."
          service_provider_sid={service_provider_sid}
          hasAccounts={hasAccounts}
        />
      )}
      <DetailsSection user_sid={user_sid} asksPassword={wantsPassword(email, stored, { guardsEmail })} />
      {others && user.provider === 'local' && <PasswordSection isNew={false} policy={policy} />}
      {others && <AccessSection />}
    </RecordForm>
  )
}
