import type { Account } from '@patchbay/contract/accounts'
import { can, isAtLeast } from '@patchbay/contract/api/access'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryClient } from '../../api/query-client.ts'
import { accountQuery, limitsQuery } from '../../api/record-queries.ts'
import { useBlockingNotice } from '../../feedback/use-blocking-notice.tsx'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, useSaveParts } from '../../form/save-in-parts.ts'
import { useEditForm } from '../../form/use-edit-form.ts'
import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { accountList, editAccount } from '../../routes/accounts.ts'
import { conversationSearch } from '../../routes/conversation-search.ts'
import { canOpen } from '../../routes/define-screen.ts'
import { startPath, useScreenParams } from '../../screen/links.tsx'
import { ApiKeys } from '../../sections/api-keys/api-keys.tsx'
import { LimitsSection } from '../../sections/limits/limits-section.tsx'
import { limitParts } from '../../sections/limits/save-limits.ts'
import { prefetchSetupNotice, SetupNotice } from '../../sections/setup/setup-notice.tsx'
import { TtsCacheSection } from '../../sections/tts-cache-section.tsx'
import { requiredSession } from '../../session/session.ts'
import { AccountState } from './account-state.tsx'
import { ActivationButton } from './activation/activation-button.tsx'
import { DeleteAccount } from './delete-account.lazy.ts'
import {
  type AccountRecords,
  type AccountValues,
  accountValues,
  toAccountPayload,
  toApplicationsPayload,
  toFormValues,
} from './form/account-form.ts'
import { ApplicationsSection } from './form/applications-section.tsx'
import { DetailsSection } from './form/details-section.tsx'
import { accountFieldErrors, takenErrors } from './form/name-conflicts.ts'
import { RecordingSection } from './form/recording/recording-section.tsx'
import { recordingChanges, toRecordingPayload } from './form/recording/recording-values.ts'
import { SigningSecretSection } from './form/signing-secret-section.tsx'
import { WebhooksSection } from './form/webhooks-section.tsx'
import { ServicesSection } from './services-section.tsx'
import { TranscriptSection } from './transcript-section.tsx'

const hostedAccount = [
  'hosted-account',
  async () => (await import('./hosted/hosted-account.tsx')).HostedAccount,
] as const
const HostedAccount = lazyPart(...hostedAccount)

const RealmBox = lazyPart('realm-box', async () => (await import('./hosted/realm-card.tsx')).RealmBox)

/**
 * Returns true for an account user of a hosted installation, who can manage the plan but not the limits of the account.
 */
const isHostedOwn = (): boolean => config().hosting !== undefined && requiredSession().actor.scope === 'account'

/** Returns true for account users, who start on the page of their account. */
const isStartPage = (): boolean => requiredSession().actor.scope === 'account'

const ContentsTab = lazyPart('account-contents', async () => (await import('./contents-tab.tsx')).ContentsTab)

const SharedCallsTab = lazyPart('shared-calls', async () => (await import('./shared-calls-tab.tsx')).SharedCallsTab)

const CallDataTab = lazyPart('call-data', async () => (await import('./call-data-tab.tsx')).CallDataTab)

const SipUsersTab = lazyPart('sip-users', async () => (await import('./sip-users-tab.tsx')).SipUsersTab)

const page = { screen: editAccount, list: accountList, kind: 'account' } as const

export const loader = ({ params: { account_sid } }: { params: { account_sid: string } }) =>
  prefetchRecord(
    page.kind,
    account_sid,
    accountQuery(account_sid),
    queryClient.ensureQueryData(limitsQuery({ account_sid })),
    ...(isStartPage() ? [prefetchSetupNotice({ account_sid })] : []),
    ...(isHostedOwn() ? [queryClient.ensureQueryData(lazyComponentQuery(...hostedAccount))] : []),
  )

interface AccountProps {
  account: Account
  loadError: Error | null
}

/** Edits an account. The SID comes from the URL. */
export const EditAccountPage = (): ReactNode => {
  const { account_sid } = useScreenParams(editAccount)
  return (
    <>
      {isStartPage() && <SetupNotice owner={{ account_sid }} />}
      <RecordPage {...page} sid={account_sid} query={accountQuery(account_sid)} sections={3} fallbackPath={startPath}>
        {(account, loadError) => <AccountRecord account={account} loadError={loadError} />}
      </RecordPage>
    </>
  )
}

const AccountRecord = ({ account, loadError }: AccountProps) => {
  const { account_sid } = account
  const { actor } = requiredSession()
  return (
    <RecordView
      {...page}
      sid={account_sid}
      name={account.name}
      badge={<AccountState account={account} />}
      createdAt={account.created_at}
      actions={
        <>
          <ExportMenu
            endpoint="GET /Accounts/:account_sid"
            input={{ params: { account_sid } }}
            rows={() => [account]}
          />
          {isAtLeast(actor.scope, 'service_provider') && <ActivationButton account={account} />}
        </>
      }
      deletion={
        isAtLeast(actor.scope, 'service_provider') &&
        can(actor, 'write', account) && {
          label: 'Delete account',
          renderDialog: (handlers) => <DeleteAccount account={account} {...handlers} />,
        }
      }
      tabsLabel="Parts of the account"
      details={<DetailsTab account={account} loadError={loadError} />}
      tabs={[
        ...(config().extensions.has('account-contents')
          ? [{ id: 'contents', label: 'Contents', content: <ContentsTab account_sid={account_sid} /> }]
          : []),
        ...(account.sip_realm
          ? [{ id: 'sip-users', label: 'SIP users', content: <SipUsersTab account={account} /> }]
          : []),
        ...(config().extensions.has('call-shares')
          ? [{ id: 'shared-calls', label: 'Shared calls', content: <SharedCallsTab account_sid={account_sid} /> }]
          : []),
        ...(config().extensions.has('data-deletions')
          ? [{ id: 'call-data', label: 'Call data', content: <CallDataTab account={account} /> }]
          : []),
      ]}
    />
  )
}

const DetailsTab = ({ account, loadError }: AccountProps) => {
  const { account_sid } = account
  const owner = useMemo(() => ({ account_sid }), [account_sid])
  const limits = useQuery(limitsQuery(owner))
  if (limits.data === undefined) return <FormLoading queries={[limits]} sections={3} />
  return (
    <>
      {isHostedOwn() && <HostedAccount account={account} />}
      <AccountEditor
        account={account}
        limits={limits.data}
        loadError={loadError}
        after={
          <>
            <ServicesSection account_sid={account_sid} />
            <ApiKeys owner={owner} title="Account API keys" description="For programs that work with this account." />
            {canOpen(conversationSearch, requiredSession().actor) && <TranscriptSection account={account} />}
          </>
        }
      />
    </>
  )
}

const notYours = 'You do not have permissions to make changes to this Account'

interface AccountEditorProps extends AccountRecords {
  loadError: Error | null
  /** Sections after the form. */
  after: ReactNode
}

const AccountEditor = ({ account, limits, loadError, after }: AccountEditorProps) => {
  const { account_sid } = account
  const { actor } = requiredSession()
  const isOperator = isAtLeast(actor.scope, 'service_provider')
  const isAdmin = actor.scope === 'admin'
  const stored = useMemo(() => toFormValues({ account, limits }), [account, limits])
  const processing = useBlockingNotice()

  /** Returns the request body, limited to the fields that this user can change. */
  const toEditablePayload = (values: AccountValues) => {
    const { sip_realm, ...rest } = toAccountPayload(values)
    return {
      ...rest,
      ...toRecordingPayload(values.recording),
      ...toApplicationsPayload(values),
      ...(isOperator ? { sip_realm } : {}),
      ...(isAdmin ? { enable_debug_log: values.enable_debug_log } : {}),
    }
  }
  const getChanges = (values: AccountValues, before: AccountValues) =>
    changedMembers(toEditablePayload(values), toEditablePayload(before))

  const change = useSaveParts({
    done: 'Account updated successfully',
    changes: [['accounts'], accountQuery(account_sid).queryKey, limitsQuery({ account_sid }).queryKey],
  })
  const toSaveParts = (values: AccountValues, before: AccountValues, base: AccountRecords): SavePart[] => {
    const { limits: _limits, ...ownValues } = values
    const body = getChanges(values, before)
    const save = () => api('PUT /Accounts/:account_sid', { params: { account_sid }, body }, { base: base.account })
    return [
      ...(Object.keys(body).length > 0 ? [{ what: 'account', save, record: 'account', values: ownValues }] : []),
      ...(isOperator ? limitParts({ account_sid }, values.limits, before.limits, { base: base.limits }) : []),
    ]
  }

  const state = useEditForm({
    sid: account_sid,
    list: accountList,
    loadError,
    fallbackPath: startPath,
    schema: accountValues,
    stored,
    versioned: { record: { account, limits }, toValues: toFormValues },
    check: async (values, before) => {
      // Another user may have signed in from another tab since this page was opened.
      const { actor: now } = requiredSession()
      if (now.scope === 'account' && now.account_sid !== account_sid) throw new ApiError('rejected', 403, notYours)
      const { name, sip_realm } = getChanges(values, before)
      if (name === undefined && !sip_realm) return {}
      const { name: requestedName } = toAccountPayload(values)
      return takenErrors({
        name: requestedName,
        sip_realm: sip_realm ?? null,
        except: account_sid,
      })
    },
    toFieldErrors: accountFieldErrors,
    save: async (values, before, { base }) => {
      // The cast is safe: the form has these records.
      const parts = toSaveParts(values, before, base as AccountRecords)
      const work = () => change(parts)
      if (parts.length > 0)
        await (recordingChanges(values.recording, before.recording) ? processing.during(work) : work())
      // Account users have no list of accounts to return to.
      return isOperator ? undefined : values
    },
  })

  return (
    <RecordForm label="Edit account" state={state} list={isOperator && accountList} after={after}>
      <DetailsSection
        account_sid={account_sid}
        canChangeRealm={isOperator}
        canDebug={isAdmin}
        realm={isHostedOwn() && <RealmBox account={account} />}
      />
      {!isHostedOwn() && (
        <LimitsSection
          description={
            isOperator ? 'Limits for this account.' : 'Limits for this account, set by your service provider.'
          }
          readOnly={!isOperator}
        />
      )}
      <ApplicationsSection account_sid={account_sid} />
      <WebhooksSection />
      <SigningSecretSection
        account_sid={account_sid}
        webhook_secret={account.webhook_secret}
        canRegenerate={can(actor, 'write', account)}
      />
      <TtsCacheSection account_sid={account_sid} />
      <RecordingSection account_sid={account_sid} />
      {processing.notice}
    </RecordForm>
  )
}
