import type { ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { showErrorToast, useAction } from '../../feedback/use-action.ts'
import { useBlockingNotice } from '../../feedback/use-blocking-notice.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { type SavePart, saveInParts } from '../../form/save-in-parts.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { highlightRow } from '../../list/list-navigation-state.ts'
import { useReturnToList } from '../../list/use-return-to-list.ts'
import { accountList, addAccount, editAccount } from '../../routes/accounts.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { LimitsSection } from '../../sections/limits/limits-section.tsx'
import { limitParts } from '../../sections/limits/save-limits.ts'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { type AccountValues, accountValues, emptyAccount, toAccountPayload } from './form/account-form.ts'
import { DetailsSection } from './form/details-section.tsx'
import { accountFieldErrors, takenErrors } from './form/name-conflicts.ts'
import { RecordingSection } from './form/recording/recording-section.tsx'
import { recordingChanges, toRecordingPayload } from './form/recording/recording-values.ts'
import { WebhooksSection } from './form/webhooks-section.tsx'

/**
 * Returns the requests that follow the creation of an account: limits, and the recording storage, which the API does
 * not accept in `POST /Accounts`.
 */
const toSaveParts = (account_sid: string, { limits, recording }: AccountValues): SavePart[] => {
  const save = () => api('PUT /Accounts/:account_sid', { params: { account_sid }, body: toRecordingPayload(recording) })
  return [
    ...limitParts({ account_sid }, limits, emptyAccount.limits),
    ...(recordingChanges(recording, emptyAccount.recording) ? [{ what: 'call recording', save }] : []),
  ]
}

/** Adds an account to the current service provider. */
export const AddAccountPage = (): ReactNode => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const go = useNavigateTo()
  const returnToList = useReturnToList(accountList)
  const isAdmin = actor.scope === 'admin'
  const processing = useBlockingNotice()
  const create = useAction({
    run: async (values: AccountValues) => {
      const enable_debug_log = isAdmin ? { enable_debug_log: values.enable_debug_log } : {}
      const body = { ...toAccountPayload(values), ...enable_debug_log, service_provider_sid }
      const { sid } = await api('POST /Accounts', { body })
      try {
        const changesRecording = recordingChanges(values.recording, emptyAccount.recording)
        const work = () => saveInParts(toSaveParts(sid, values))
        await (changesRecording ? processing.during(work) : work())
      } catch (error) {
        return { sid, error }
      }
      return { sid, error: undefined }
    },
    done: () => 'Account created successfully',
    changes: [['accounts']],
  })
  const state = useRecordForm({
    schema: accountValues,
    stored: emptyAccount,
    check: (values) => {
      const { name, sip_realm } = toAccountPayload(values)
      return takenErrors({ name, sip_realm })
    },
    toFieldErrors: accountFieldErrors,
    save: async (values) => {
      const { sid, error } = await create.mutateAsync(values)
      highlightRow(accountList, sid)
      // The account exists already: submitting the form again would create a second one.
      if (error !== undefined) {
        showErrorToast(error)
        return go({ to: editAccount, params: { account_sid: sid }, ignoreBlocker: true })
      }
      await returnToList()
    },
  })
  return (
    <>
      <ScreenHeader
        screen={addAccount}
        description="Add a tenant of the service provider with its own users, applications, and phone numbers."
      />
      <RecordForm label="Add an account" state={state} list={accountList}>
        <DetailsSection canChangeRealm canDebug={isAdmin} />
        <LimitsSection description="Limits for this account." />
        <WebhooksSection />
        <RecordingSection />
        {processing.notice}
      </RecordForm>
    </>
  )
}
