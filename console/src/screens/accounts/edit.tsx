import { can, isAtLeast } from '@patchbay/contract/access'
import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { Failure, failureText } from '../../api/failure.ts'
import { accountQuery } from '../../api/queries.ts'
import { changedMembers } from '../../app/changed.ts'
import { startPage } from '../../app/guards.ts'
import { headStart } from '../../app/head-start.ts'
import { queryClient } from '../../app/query-client.ts'
import { usePageTitle } from '../../app/page-title.ts'
import { paths } from '../../app/paths.ts'
import { toaster } from '../../app/toaster.ts'
import { RecordForm } from '../../app/record-form.tsx'
import { useAction } from '../../app/use-action.ts'
import { requiredSession } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { LoadFailed } from '../../ui/list-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type AccountValues, accountSent, valuesOf } from './account-form.ts'
import { DetailsSection } from './details-section.tsx'
import { SigningSecretSection } from './signing-secret-section.tsx'
import { useAccountForm } from './use-account-form.ts'
import { WebhooksSection } from './webhooks-section.tsx'

const isNotAllowed = (error: unknown): boolean =>
  error instanceof Failure && (error.status === 403 || error.status === 404 || error.status === 400)

/** An account that may not be seen, or is none, leads back. */
const useLeaveWhenRefused = (error: unknown): void => {
  const navigate = useNavigate()
  useEffect(() => {
    if (!isNotAllowed(error)) return
    toaster.failure('You do not have access to this resource')
    void navigate({ ...startPage(), replace: true })
  }, [error, navigate])
}

const Header = () => {
  const manages = isAtLeast(requiredSession().actor.scope, 'service_provider')
  return (
    <PageHeader
      breadcrumb={manages && <Link to={paths.accounts}>Accounts</Link>}
      title="Edit account"
      description="A tenant of the service provider, with its own users, applications and numbers."
    />
  )
}

export const readAccount = (account_sid: string) =>
  headStart(() => queryClient.ensureQueryData(accountQuery(account_sid)))

/** One account, loaded by its sid. */
export const EditAccount = () => {
  usePageTitle('Edit account')
  const { account_sid } = useParams({ from: '/internal/accounts/$account_sid/edit' })
  const account = useQuery(accountQuery(account_sid))
  useLeaveWhenRefused(account.data ? undefined : account.error)
  return (
    <>
      <Header />
      {account.data ? (
        <AccountEditor key={account_sid} account={account.data} refusal={account.error} />
      ) : account.isError && !isNotAllowed(account.error) ? (
        <LoadFailed message={failureText(account.error)} onRetry={() => void account.refetch()} />
      ) : (
        <FormSkeleton sections={3} />
      )}
    </>
  )
}

const notYours = 'You do not have permissions to make changes to this Account'

/** The form is filled once; later reads of the account never touch what is being edited. */
const AccountEditor = ({ account, refusal }: { account: Account; refusal: Error | null }) => {
  const { account_sid, service_provider_sid } = account
  const { actor } = requiredSession()
  const navigate = useNavigate()
  const manages = isAtLeast(actor.scope, 'service_provider')
  const isAdmin = actor.scope === 'admin'

  const [saved, setSaved] = useState(() => valuesOf(account))

  const mayChange = (values: AccountValues) => {
    const { sip_realm, ...rest } = accountSent(values)
    return {
      ...rest,
      ...(manages ? { sip_realm } : {}),
      ...(isAdmin ? { enable_debug_log: values.enable_debug_log } : {}),
    }
  }
  const changed = (values: AccountValues) => changedMembers(mayChange(values), mayChange(saved))

  const change = useAction({
    run: (body: ReturnType<typeof changed>) => {
      // Another user may have signed in from another tab since this page was opened.
      const { actor: now } = requiredSession()
      if (now.scope === 'account' && now.account_sid !== account_sid) throw new Failure('refused', 403, notYours)
      return call('PUT /Accounts/:account_sid', { params: { account_sid }, body })
    },
    done: () => 'Account updated successfully',
    changes: [['accounts'], accountQuery(account_sid).queryKey],
  })

  const state = useAccountForm({
    values: saved,
    wanted: (values) => {
      const { name, sip_realm } = changed(values)
      if (name === undefined && !sip_realm) return undefined
      return { service_provider_sid, name: values.name.trim(), sip_realm: sip_realm ?? null, except: account_sid }
    },
    save: async (values) => {
      const body = changed(values)
      if (Object.keys(body).length > 0) await change.mutateAsync(body)
      setSaved(values)
      state.form.reset(values)
      if (manages) await navigate({ to: paths.accounts, ignoreBlocker: true })
    },
  })

  // A later read that is refused takes nobody away from what they typed; saving says what is wrong.
  useLeaveWhenRefused(state.form.formState.isDirty ? undefined : refusal)

  return (
    <RecordForm
      label="Edit account"
      state={state}
      cancel={
        manages && (
          <Link to={paths.accounts} className={buttonClass('secondary')}>
            Cancel
          </Link>
        )
      }
    >
      <DetailsSection account_sid={account_sid} mayChangeRealm={manages} mayDebug={isAdmin} />
      <WebhooksSection />
      <SigningSecretSection
        account_sid={account_sid}
        webhook_secret={account.webhook_secret}
        mayRegenerate={can(actor, 'write', account)}
      />
    </RecordForm>
  )
}
