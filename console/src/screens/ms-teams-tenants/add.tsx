import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { startAccount } from '../../record/default-account.ts'
import { readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { accountList } from '../../routes/accounts.ts'
import { addTeamsTenant, teamsTenantList } from '../../routes/ms-teams-tenants.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useRedirectWhen } from '../../screen/use-redirect-on-error.ts'
import { useProviderSid, useProviders } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { Banner } from '../../ui/banner.tsx'
import { isDuplicateDomain, TenantSection, tenantValues, toFieldErrors, toPayload } from './form/tenant-form.tsx'
import { NoDomain } from './tenant-messages.tsx'

export const loader = readKnownAccounts

const noAccounts = 'You must create an account before you can create an Microsoft Teams Tenant.'

/** Adds a Teams tenant to an account of the current service provider, or to the user's own account. */
export const AddTeamsTenantPage = (): ReactNode => {
  const accounts = useKnownAccounts()
  const { current } = useProviders()
  useRedirectWhen(accounts.data?.length === 0 ? noAccounts : undefined, accountList.path)
  return (
    <>
      <ScreenHeader screen={addTeamsTenant} description="Connect the Microsoft Teams calls of a customer." />
      {current && !current.ms_teams_fqdn && (
        <Banner tone="warn" role="status">
          <p>
            <NoDomain provider={current} />
          </p>
        </Banner>
      )}
      {accounts.data && accounts.data.length > 0 ? (
        <Adder account_sid={startAccount(accounts.data)} />
      ) : (
        <FormLoading queries={[accounts]} sections={1} />
      )}
    </>
  )
}

const Adder = ({ account_sid }: { account_sid: string }) => {
  const service_provider_sid = useProviderSid()
  const chooses = requiredSession().actor.scope !== 'account'
  const start = useMemo(() => ({ tenant_fqdn: '', account_sid, application_sid: '' }), [account_sid])
  const state = useAddForm({
    list: teamsTenantList,
    create: async (values) =>
      (await api('POST /MicrosoftTeamsTenants', { body: { ...toPayload(values), service_provider_sid } })).sid,
    done: 'Microsoft Teams Tenant created successfully',
    changes: [['ms-teams-tenants']],
    getAccount: (values) => values.account_sid,
    schema: tenantValues,
    stored: start,
    toFieldErrors,
    isShownAtField: isDuplicateDomain,
  })
  return (
    <RecordForm label="Add a Microsoft Teams tenant" state={state} list={teamsTenantList}>
      <TenantSection {...(chooses ? { service_provider_sid } : {})} />
    </RecordForm>
  )
}
