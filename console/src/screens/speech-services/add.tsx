import { type ReactNode, useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { toaster } from '../../feedback/toaster.ts'
import { showErrorToast, useAction } from '../../feedback/use-action.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { saveInParts } from '../../form/save-in-parts.ts'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { highlightRow } from '../../list/list-navigation-state.ts'
import { useShowCreated } from '../../list/use-return-to-list.ts'
import { startAccount } from '../../record/default-account.ts'
import { type AccountSummary, readKnownAccounts, useKnownAccounts } from '../../record/use-accounts-in-scope.ts'
import { addSpeech, editSpeech, speechList } from '../../routes/speech-services.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { stored } from '../../session/storage.ts'
import { newSpeech } from './form/new-speech.ts'
import { labelErrors, useUnusedQuestion } from './form/service-checks.tsx'
import { ServiceSection } from './form/service-section.tsx'
import {
  chosenVendor,
  emptySpeech,
  type SpeechValues,
  speechFieldErrors,
  toCreatePayload,
  voiceChanges,
} from './form/speech-form.ts'
import { VendorFields } from './form/vendor-fields.lazy.ts'
import { voiceParts } from './form/voices.ts'
import { ownPath } from './queries.ts'

export const loader = readKnownAccounts

/** Adds a speech service to an account, or for all accounts of the current service provider. */
export const AddSpeechServicePage = (): ReactNode => {
  const accounts = useKnownAccounts()
  return (
    <>
      <ScreenHeader
        screen={addSpeech}
        description="Add the credentials of a speech vendor for synthesis or recognition."
      />
      {accounts.data ? <Adder accounts={accounts.data} /> : <FormLoading queries={[accounts]} sections={1} />}
    </>
  )
}

const Adder = ({ accounts }: { accounts: readonly AccountSummary[] }) => {
  const { actor } = requiredSession()
  const service_provider_sid = useProviderSid()
  const owner = ownPath(service_provider_sid)
  const go = useNavigateTo()
  const showCreated = useShowCreated(speechList)
  const chooses = actor.scope !== 'account'
  // Preselects the account of the list filter. An only account is not preselected, because most services are for all
  // accounts.
  const remembered = stored.accountFilter.read() ? startAccount(accounts) : ''
  const account_sid = chooses ? remembered : (actor.account_sid ?? '')
  const start = useMemo(() => ({ ...emptySpeech, account_sid }), [account_sid])
  const post = (values: SpeechValues) => {
    const body = toCreatePayload(values, service_provider_sid)
    return owner.account_sid === undefined
      ? api('POST /ServiceProviders/:service_provider_sid/SpeechCredentials', {
          params: { service_provider_sid: owner.service_provider_sid },
          body,
        })
      : api('POST /Accounts/:account_sid/SpeechCredentials', { params: { account_sid: owner.account_sid }, body })
  }
  const create = useAction({
    run: async (values: SpeechValues) => {
      const { sid } = await post(values)
      try {
        await saveInParts(voiceParts(sid, voiceChanges(values, emptySpeech), []))
      } catch (error) {
        return { sid, error }
      }
      return { sid, error: undefined }
    },
    changes: [['speech']],
  })
  const recordForm = useRecordForm({
    schema: newSpeech,
    stored: start,
    check: (values) => labelErrors(owner, values),
    toFieldErrors: speechFieldErrors,
    save: async (values) => {
      const { sid, error } = await create.mutateAsync(values)
      // The service exists already, so the user continues in its edit form.
      if (error !== undefined) {
        showErrorToast(error)
        highlightRow(speechList, sid)
        await go({ to: editSpeech, params: { speech_credential_sid: sid }, ignoreBlocker: true })
        return
      }
      toaster.success('Speech credential created successfully')
      await showCreated(sid, values.account_sid)
    },
  })
  const state = useUnusedQuestion(recordForm)
  const vendor = chosenVendor(useWatch({ control: state.form.control, name: 'vendor' }))
  return (
    <RecordForm label="Add a speech service" state={state} list={speechList}>
      <ServiceSection vendor={vendor} exists={false} {...(chooses ? { service_provider_sid } : {})} />
      {vendor && <VendorFields key={vendor.vendor} vendor={vendor} exists={false} />}
    </RecordForm>
  )
}
