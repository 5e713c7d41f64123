import { type ReactNode, useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { startAccount } from '../../record/default-account.ts'
import { type AccountSummary, readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { addClient, clientList } from '../../routes/clients.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { CallingSection } from './form/calling-section.tsx'
import { blockedBy, clientFieldErrors, emptyClient, newClientValues } from './form/client-form.ts'
import { CredentialsSection } from './form/credentials-section.tsx'
import { NoRealm } from './form/no-realm.tsx'

export const loader = readKnownAccounts

/** Adds a SIP client to an account of the current service provider, or to the user's own account. */
export const AddClientPage = (): ReactNode => {
  const accounts = useKnownAccounts()
  return (
    <>
      <ScreenHeader screen={addClient} description="Create the credentials of a phone or softphone." />
      {accounts.data ? <Adder accounts={accounts.data} /> : <FormLoading queries={[accounts]} sections={2} />}
    </>
  )
}

const Adder = ({ accounts }: { accounts: readonly AccountSummary[] }) => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const chooses = actor.scope !== 'account'
  const account_sid = startAccount(accounts)
  const start = useMemo(() => ({ ...emptyClient, account_sid }), [account_sid])
  const state = useAddForm({
    list: clientList,
    create: async (values) => (await api('POST /Clients', { body: values })).sid,
    done: 'Client created successfully',
    changes: [['clients']],
    getAccount: (values) => values.account_sid,
    schema: newClientValues,
    stored: start,
    toFieldErrors: clientFieldErrors,
  })
  const chosen = useWatch({ control: state.form.control, name: 'account_sid' })
  const account = accounts.find((one) => one.account_sid === chosen)
  return (
    <RecordForm label="Add a SIP client" state={state} blocked={blockedBy(account)} list={clientList}>
      {account && blockedBy(account) && <NoRealm account={account} />}
      <CredentialsSection {...(chooses ? { service_provider_sid } : {})} />
      <CallingSection />
    </RecordForm>
  )
}
