import { type ReactNode, useMemo } from 'react'
import { api } from '../../api/client.ts'
import { RecordForm } from '../../page/form/record-form.tsx'
import { useRecordForm } from '../../page/form/use-record-form.tsx'
import { FormLoading } from '../../page/form-loading.tsx'
import { readKnownAccounts, useKnownAccounts } from '../../page/known-accounts.ts'
import { listBackLink, highlightRow } from '../../page/left-lists.ts'
import { ScreenLink, useNavigateTo } from '../../page/links.tsx'
import { ScreenHeader } from '../../page/screen-head.tsx'
import { startAccount } from '../../page/start-account.ts'
import { useAction } from '../../page/use-action.ts'
import { useRedirectWhen } from '../../page/use-leave-when-refused.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { buttonClass } from '../../ui/button.tsx'
import { accountList } from '../accounts/screens.ts'
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
import { speechErrorsNow } from './form/speech-errors-now.ts'
import { nameErrors } from './form/taken.ts'
import { addApplication, applicationList } from './screens.ts'

export const read = readKnownAccounts

const noAccounts = 'You must create an account before you can create an application.'

/** A new application of an account: the own, or one of the current service provider. */
export const Screen = (): ReactNode => {
  const accounts = useKnownAccounts()
  useRedirectWhen(accounts.data?.length === 0 ? noAccounts : undefined, accountList.path)
  return (
    <>
      <ScreenHeader screen={addApplication} description="What answers calls, and with which voice." />
      {accounts.data && accounts.data.length > 0 ? (
        <Adder account_sid={startAccount(accounts.data)} />
      ) : (
        <FormLoading queries={[accounts]} sections={4} />
      )}
    </>
  )
}

const Adder = ({ account_sid }: { account_sid: string }) => {
  const go = useNavigateTo()
  const chooses = requiredSession().actor.scope !== 'account'
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
      highlightRow(applicationList, sid)
      // The list shows it, whatever it showed before.
      if (chooses) stored.accountFilter.write(values.account_sid)
      await go({ to: applicationList, search: chooses ? { account: values.account_sid } : {}, ignoreBlocker: true })
    },
  })
  return (
    <RecordForm
      label="Add an application"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(applicationList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <ApplicationSections />
    </RecordForm>
  )
}
