import type { Client } from '@patchbay/contract/clients'
import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import type { RegisteredClient } from '@patchbay/contract/registered-sip-users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { meQuery } from '../../api/queries.ts'
import { accountQuery } from '../../api/record-queries.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { sbcsQuery } from '../../api/sbcs-query.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { ExportMenu } from '../../list/export-menu.tsx'
import { registrationQuery } from '../../sections/sip-registration.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { useLeaveWhenFailed } from '../../screen/use-redirect-on-error.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { CopyField, ValueBox } from '../../ui/sid.tsx'
import { editAccount } from '../../routes/accounts.ts'
import { ClientState, RegistrationState } from './client-state.tsx'
import { DeleteClient } from './delete-client.tsx'
import { CallingSection } from './form/calling-section.tsx'
import { blockedBy, clientSettings, type ClientSettings, toSettingsValues } from './form/client-form.ts'
import { DeviceSection } from './form/device-section.tsx'
import { NoRealm } from './form/no-realm.tsx'
import { clientQuery } from './queries.ts'
import { clientList, editClient } from '../../routes/clients.ts'

const isOfAccount = (): boolean => requiredSession().actor.scope === 'account'

export const loader = ({ params: { client_sid } }: { params: { client_sid: string } }): Promise<unknown> => {
  const withAccount = async () => {
    const { account_sid } = await queryClient.ensureQueryData(clientQuery(client_sid))
    if (isOfAccount()) return
    const { service_provider_sid } = await queryClient.ensureQueryData(accountQuery(account_sid))
    await queryClient.ensureQueryData(sbcsQuery(service_provider_sid))
  }
  return prefetchWithin(() => Promise.all([withAccount(), readLastChange('client', client_sid)]))
}

/** Edits a SIP client. The SID comes from the URL. */
export const EditClientPage = (): ReactNode => {
  const { client_sid } = useScreenParams(editClient)
  const client = useQuery(clientQuery(client_sid))
  const isLastChangeLoaded = useLastChangeKnown('client', client_sid)
  useLeaveWhenFailed(client.data ? undefined : client.error, clientList.path)
  if (client.data && isLastChangeLoaded) return <ClientRecord key={client_sid} client={client.data} />
  return (
    <>
      <ScreenHeader screen={editClient} />
      <FormSkeleton sections={3} />
    </>
  )
}

interface ClientAccount extends AccountSummary {
  service_provider_sid: string
}

/**
 * Reads the account of a client and the addresses of the SBCs. The addresses are empty if the user cannot read them.
 */
const useClientAccount = ({ account_sid }: Client) => {
  const own = useQuery({ ...meQuery, enabled: isOfAccount() })
  const other = useQuery({ ...accountQuery(account_sid), enabled: !isOfAccount() })
  const { error, refetch } = isOfAccount() ? own : other
  const me = isOfAccount() ? own.data?.account : undefined
  const account: ClientAccount | undefined = me
    ? { account_sid, name: me.name ?? '', sip_realm: me.sip_realm, service_provider_sid: me.service_provider_sid ?? '' }
    : other.data
  const sbcs = useQuery({ ...sbcsQuery(account?.service_provider_sid ?? ''), enabled: Boolean(account?.sip_realm) })
  const data = account && !sbcs.isLoading ? { account, sbcs: sbcs.data ?? [] } : undefined
  return { data, error, refetch }
}

/** Short enough that the user sees a device register while setting it up. */
const registrationPollIntervalMs = 15_000

const useRegistration = ({ account_sid, username }: Client, realm: string | null | undefined) => {
  const canQuery = Boolean(realm && username) && !config().switches.has('no-registrations')
  const { data } = useQuery({
    ...registrationQuery(account_sid, username ?? ''),
    enabled: canQuery,
    refetchInterval: registrationPollIntervalMs,
  })
  return data
}

const ClientRecord = ({ client }: { client: Client }) => {
  const { client_sid, username } = client
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const viewOnly = viewOnlyReason(requiredSession().actor)
  const clientAccount = useClientAccount(client)
  const registration = useRegistration(client, clientAccount.data?.account.sip_realm)
  return (
    <>
      <RecordHeader
        screen={editClient}
        name={username ?? ''}
        sid={client_sid}
        changed={<LastChange kind="client" sid={client_sid} />}
        state={
          <>
            <ClientState client={client} />
            {registration && <RegistrationState isRegistered={registration.registered_status === 'active'} />}
          </>
        }
        actions={
          <>
            <ExportMenu endpoint="GET /Clients/:client_sid" input={{ params: { client_sid } }} rows={() => [client]} />
            {!viewOnly && <Button onClick={() => setDeleting(true)}>Delete SIP client</Button>}
          </>
        }
      />
      <ScreenTabs
        screen={editClient}
        label="Parts of the SIP client"
        tabs={[
          {
            id: 'details',
            label: 'Details',
            stays: true,
            content: clientAccount.data ? (
              <ClientEditor client={client} {...clientAccount.data} registration={registration} />
            ) : (
              <FormLoading queries={[clientAccount]} sections={3} />
            ),
          },
          ...historyTab({ kind: 'client', sid: client_sid }),
        ]}
      />
      {deleting && (
        <DeleteClient
          client={client}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(clientList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

interface ClientEditorProps {
  client: Client
  account: ClientAccount
  sbcs: readonly SbcAddress[]
  registration: RegisteredClient | undefined
}

/** Form of the SIP client. Refetches of the client never overwrite unsaved edits. */
const ClientEditor = ({ client, account, sbcs, registration }: ClientEditorProps) => {
  const { client_sid, username } = client
  const go = useNavigateTo()
  const stored = useMemo(() => toSettingsValues(client), [client])
  const change = useAction({
    run: (body: Partial<ClientSettings>) => api('PUT /Clients/:client_sid', { params: { client_sid }, body }),
    done: () => 'Client updated successfully',
    changes: [['clients'], clientQuery(client_sid).queryKey],
  })
  const state = useRecordForm({
    schema: clientSettings,
    stored,
    latest: async () => toSettingsValues(await queryClient.fetchQuery({ ...clientQuery(client_sid), staleTime: 0 })),
    save: async (values, before) => {
      const body = changedMembers(values, before)
      if (Object.keys(body).length > 0) await change.mutateAsync(body)
      highlightRow(clientList, client_sid)
      await go({ ...listBackLink(clientList), ignoreBlocker: true })
    },
  })
  return (
    <RecordForm
      label="Edit SIP client"
      state={state}
      blocked={blockedBy(account)}
      cancel={
        <ScreenLink {...listBackLink(clientList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      {blockedBy(account) && <NoRealm account={account} />}
      <FormSection
        title="Credentials"
        description="What the device registers with. None of it can be changed: delete the client, and add another."
      >
        <CopyField label="User name" value={username ?? ''} />
        <ValueBox label="Password" hint={client.password === null ? undefined : 'It is stored, and not shown again.'}>
          {client.password === null ? 'None' : <code>••••••••</code>}
        </ValueBox>
        <ValueBox label="Account">
          <ScreenLink to={editAccount} params={{ account_sid: account.account_sid }}>
            <bdi>{account.name}</bdi>
          </ScreenLink>
        </ValueBox>
      </FormSection>
      <CallingSection />
      {account.sip_realm && username && (
        <DeviceSection username={username} realm={account.sip_realm} sbcs={sbcs} registration={registration} />
      )}
    </RecordForm>
  )
}
