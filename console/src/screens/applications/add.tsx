import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { useAddForm } from '../../form/use-add-form.ts'
import { startAccount } from '../../record/default-account.ts'
import { readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { accountList } from '../../routes/accounts.ts'
import { addApplication, applicationList } from '../../routes/applications.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useRedirectWhen } from '../../screen/use-redirect-on-error.ts'
import { describedNow } from './form/app-env.ts'
import {
  applicationFieldErrors,
  applicationValues,
  emptyApplication,
  envErrors,
  toPayload,
} from './form/application-form.ts'
import { ApplicationSections } from './form/application-sections.tsx'
import { speechErrorsNow } from './form/check-speech.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { useStartSpeech } from './form/speech-queries.ts'

export const loader = readKnownAccounts

const noAccounts = 'You must create an account before you can create an application.'

/** Adds an application to the caller's account, or to an account of the current service provider. */
export const AddApplicationPage = (): ReactNode => {
  const accounts = useKnownAccounts()
  useRedirectWhen(accounts.data?.length === 0 ? noAccounts : undefined, accountList.path)
  return (
    <>
      <ScreenHeader
        screen={addApplication}
        description="Choose the webhooks and the speech settings that control what happens on a call."
      />
      {accounts.data && accounts.data.length > 0 ? (
        <Adder account_sid={startAccount(accounts.data)} />
      ) : (
        <FormLoading queries={[accounts]} sections={4} />
      )}
    </>
  )
}

const Adder = ({ account_sid }: { account_sid: string }) => {
  const primary = useStartSpeech(account_sid)
  const state = useAddForm({
    list: applicationList,
    create: async (values) => (await api('POST /Applications', { body: toPayload(values, describedNow(values)) })).sid,
    done: 'Application created successfully',
    changes: [['applications']],
    getAccount: (values) => values.account_sid,
    schema: applicationValues,
    stored: useMemo(() => ({ ...emptyApplication, account_sid, primary }), [account_sid, primary]),
    check: async (values) => ({
      ...envErrors(describedNow(values), values),
      ...(await speechErrorsNow(values)),
      ...(await nameErrors(values)),
    }),
    toFieldErrors: applicationFieldErrors,
  })
  return (
    <RecordForm label="Add an application" state={state} list={applicationList}>
      <ApplicationSections />
    </RecordForm>
  )
}
