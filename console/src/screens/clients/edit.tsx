import type { Client } from '@patchbay/contract/clients'
import type { SbcAddress } from '@patchbay/contract/platform-addresses'
import type { RegisteredClient } from '@patchbay/contract/registered-sip-users'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { liveRefresh } from '../../api/live-refresh.ts'
import { queryClient } from '../../api/query-client.ts'
import { accountQuery } from '../../api/record-queries.ts'
import { sbcsQuery } from '../../api/sbcs-query.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { changedMembers } from '../../form/changed-members.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useEditForm, useUpdate } from '../../form/use-edit-form.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import type { AccountSummary } from '../../record/use-accounts-in-scope.ts'
import { editAccount } from '../../routes/accounts.ts'
import { clientList, editClient } from '../../routes/clients.ts'
import { ScreenLink, useScreenParams } from '../../screen/links.tsx'
import { registrationQuery } from '../../sections/sip-registration.tsx'
import { requiredSession } from '../../session/session.ts'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { CopyField, ValueBox } from '../../ui/format/sid.tsx'
import { ClientState, RegistrationState } from './client-state.tsx'
import { DeleteClient } from './delete-client.tsx'
import { CallingSection } from './form/calling-section.tsx'
import { blockedBy, type ClientSettings, clientSettings, toSettingsValues } from './form/client-form.ts'
import { DeviceSection } from './form/device-section.tsx'
import { NoRealm } from './form/no-realm.tsx'
import { clientQuery } from './queries.ts'

const isOfAccount = (): boolean => requiredSession().actor.scope === 'account'

const page = { screen: editClient, list: clientList, kind: 'client' } as const

/** Reads the account of a client, and the SBC addresses that its page shows. */
const prefetchAccount = async (client_sid: string): Promise<void> => {
  const { account_sid } = await queryClient.ensureQueryData(clientQuery(client_sid))
  if (isOfAccount()) return
  const { service_provider_sid } = await queryClient.ensureQueryData(accountQuery(account_sid))
  await queryClient.ensureQueryData(sbcsQuery(service_provider_sid))
}

export const loader = ({ params: { client_sid } }: { params: { client_sid: string } }) =>
  prefetchRecord(page.kind, client_sid, clientQuery(client_sid), prefetchAccount(client_sid))

/** Edits a SIP client. The SID comes from the URL. */
export const EditClientPage = (): ReactNode => {
  const { client_sid } = useScreenParams(editClient)
  return (
    <RecordPage {...page} sid={client_sid} query={clientQuery(client_sid)} sections={3} onLoadError="leave">
      {(client, loadError) => <ClientRecord client={client} loadError={loadError} />}
    </RecordPage>
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
    ...liveRefresh(registrationPollIntervalMs),
  })
  return data
}

interface ClientProps {
  client: Client
  loadError: Error | null
}

const ClientRecord = ({ client, loadError }: ClientProps) => {
  const { client_sid, username } = client
  const clientAccount = useClientAccount(client)
  const registration = useRegistration(client, clientAccount.data?.account.sip_realm)
  return (
    <RecordView
      {...page}
      sid={client_sid}
      name={username ?? ''}
      badge={
        <>
          <ClientState client={client} />
          {registration && <RegistrationState isRegistered={registration.registered_status === 'active'} />}
        </>
      }
      actions={
        <ExportMenu endpoint="GET /Clients/:client_sid" input={{ params: { client_sid } }} rows={() => [client]} />
      }
      deletion={
        !requiredSession().actor.is_view_only && {
          label: 'Delete SIP client',
          renderDialog: (handlers) => <DeleteClient client={client} {...handlers} />,
        }
      }
      tabsLabel="Parts of the SIP client"
      details={
        clientAccount.data ? (
          <ClientEditor client={client} loadError={loadError} {...clientAccount.data} registration={registration} />
        ) : (
          <FormLoading queries={[clientAccount]} sections={3} />
        )
      }
    />
  )
}

interface ClientEditorProps extends ClientProps {
  account: ClientAccount
  sbcs: readonly SbcAddress[]
  registration: RegisteredClient | undefined
}

const ClientEditor = ({ client, loadError, account, sbcs, registration }: ClientEditorProps) => {
  const { client_sid, username } = client
  const query = clientQuery(client_sid)
  const update = useUpdate({
    run: (body: Partial<ClientSettings>, options) =>
      api('PUT /Clients/:client_sid', { params: { client_sid }, body }, options),
    done: () => 'Client updated successfully',
    changes: [['clients'], query.queryKey],
  })
  const state = useEditForm({
    sid: client_sid,
    list: clientList,
    loadError,
    schema: clientSettings,
    stored: useMemo(() => toSettingsValues(client), [client]),
    versioned: { record: client, toValues: toSettingsValues },
    save: (values, before, options) => update(changedMembers(values, before), options),
  })
  return (
    <RecordForm label="Edit SIP client" state={state} list={clientList} blocked={blockedBy(account)}>
      {blockedBy(account) && <NoRealm account={account} />}
      <FormSection
        title="Credentials"
        description="Credentials of the device. To change them, delete the client and add another."
      >
        <CopyField label="User name" value={username ?? ''} />
        <ValueBox label="Password" hint={client.password === null ? undefined : 'Stored and not shown again.'}>
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
