import { type ReactNode, useMemo } from 'react'
import { useShowCreated } from '../../list/use-return-to-list.ts'
import { api } from '../../api/client.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { startAccount } from '../../record/default-account.ts'
import { useAction } from '../../feedback/use-action.ts'
import { useRedirectWhen } from '../../screen/use-redirect-on-error.ts'
import { accountList } from '../../routes/accounts.ts'
import { describedNow } from './form/app-env.ts'
import {
  applicationRefusal,
  toPayload,
  type ApplicationValues,
  applicationValues,
  emptyApplication,
  envErrors,
} from './form/application-form.ts'
import { ApplicationSections } from './form/application-sections.tsx'
import { speechErrorsNow } from './form/check-speech.ts'
import { nameErrors } from './form/name-conflicts.ts'
import { addApplication, applicationList } from '../../routes/applications.ts'

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
  const showCreated = useShowCreated(applicationList)
  const create = useAction({
    run: (values: ApplicationValues) => api('POST /Applications', { body: toPayload(values, describedNow(values)) }),
    done: () => 'Application created successfully',
    changes: [['applications']],
  })
  const state = useRecordForm({
    schema: applicationValues,
    stored: useMemo(() => ({ ...emptyApplication, account_sid }), [account_sid]),
    check: async (values) => ({
      ...envErrors(describedNow(values), values),
      ...(await speechErrorsNow(values)),
      ...(await nameErrors(values)),
    }),
    refusal: applicationRefusal,
    save: async (values) => {
      const { sid } = await create.mutateAsync(values)
      await showCreated(sid, values.account_sid)
    },
  })
  return (
    <RecordForm label="Add an application" state={state} list={applicationList}>
      <ApplicationSections />
    </RecordForm>
  )
}
