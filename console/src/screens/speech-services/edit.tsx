import { findVendor } from '@patchbay/contract/speech/catalogue'
import type { GoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { api } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { ApiError } from '../../api/api-error.ts'
import { historyTab } from '../../record/audit/history-tab.tsx'
import { LastChange } from '../../record/audit/last-change.tsx'
import { readLastChange } from '../../record/audit/read-last-change.ts'
import { useLastChangeKnown } from '../../record/audit/use-last-change-loaded.ts'
import { useSaveParts } from '../../form/save-in-parts.ts'
import { RecordForm } from '../../form/record-form.tsx'
import { useRecordForm } from '../../form/use-record-form.tsx'
import { FormLoading } from '../../form/form-loading.tsx'
import { prefetchWithin, likelyProvider } from '../../lazy/prefetch.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { listBackLink, highlightRow } from '../../list/list-navigation-state.ts'
import { ScreenLink, useNavigateTo, useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { queryClient } from '../../api/query-client.ts'
import { RecordHeader } from '../../record/record-header.tsx'
import { ScreenHeader } from '../../screen/screen-header.tsx'
import { ScreenTabs } from '../../screen/screen-tabs.tsx'
import { isAccessError, useRedirectOnError } from '../../screen/use-redirect-on-error.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { requiredSession } from '../../session/session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormSkeleton } from '../../ui/form-skeleton.tsx'
import { DeleteService } from './delete-service.lazy.ts'
import { ServiceSection } from './form/service-section.tsx'
import {
  changedSpeech,
  chosenVendor,
  reenteredSecrets,
  toFormValues,
  speechRefusal,
  toPayload,
  voiceChanges,
} from './form/speech-form.ts'
import { StatusSection } from './form/status-section.tsx'
import { VendorFields } from './form/vendor-fields.lazy.ts'
import { voiceParts, voicesQuery } from './form/voices.ts'
import { oneSpeechQuery, ownPath } from './queries.ts'
import { canOpenService, serviceName } from './service.ts'
import { editSpeech, speechList } from '../../routes/speech-services.ts'
import { UsedByTab } from './used-by-tab.tsx'
import { knowsUses } from './dependents.tsx'

const kind = 'speech_credential'

const HearTab = lazyPart('hear-speech', async () => (await import('./preview-tab.tsx')).HearTab)

const speaks = ({ vendor, use_for_tts }: SpeechCredential): boolean =>
  Boolean(use_for_tts) && findVendor(vendor)?.tts !== undefined

export const loader = ({ params }: { params: { speech_credential_sid: string } }): Promise<unknown> =>
  prefetchWithin(async () => {
    const owner = ownPath(await likelyProvider())
    await Promise.all([
      queryClient.ensureQueryData(oneSpeechQuery(owner, params.speech_credential_sid)),
      readLastChange(kind, params.speech_credential_sid),
    ])
  })

/** Edits one speech service, loaded by its SID. */
export const EditSpeechServicePage = (): ReactNode => {
  const { speech_credential_sid } = useScreenParams(editSpeech)
  const service = useQuery(oneSpeechQuery(ownPath(useProviderSid()), speech_credential_sid))
  const isChangeKnown = useLastChangeKnown(kind, speech_credential_sid)
  useRedirectOnError(service.data ? undefined : service.error, speechList.path)
  if (service.data && isChangeKnown)
    return <ServiceRecord key={speech_credential_sid} service={service.data} refusal={service.error} />
  return (
    <>
      <ScreenHeader screen={editSpeech} />
      {isAccessError(service.error) ? <FormSkeleton sections={2} /> : <FormLoading queries={[service]} sections={2} />}
    </>
  )
}

interface ServiceProps {
  service: SpeechCredential
  refusal: Error | null
}

const ServiceRecord = ({ service, refusal }: ServiceProps) => {
  const { speech_credential_sid } = service
  const go = useNavigateTo()
  const [deleting, setDeleting] = useState(false)
  const viewOnly = viewOnlyReason(requiredSession().actor)
  return (
    <>
      <RecordHeader
        screen={editSpeech}
        name={serviceName(service)}
        sid={speech_credential_sid}
        changed={<LastChange kind={kind} sid={speech_credential_sid} />}
        actions={!viewOnly && <Button onClick={() => setDeleting(true)}>Delete speech service</Button>}
      />
      <ScreenTabs
        screen={editSpeech}
        label="Parts of the speech service"
        tabs={[
          {
            id: 'details',
            label: 'Details',
            stays: true,
            content: <ServiceEditor service={service} refusal={refusal} />,
          },
          ...(speaks(service) ? [{ id: 'hear', label: 'Hear it', content: <HearTab service={service} /> }] : []),
          ...(knowsUses()
            ? [{ id: 'used-by', label: 'Used by', content: <UsedByTab sid={speech_credential_sid} /> }]
            : []),
          ...historyTab({ kind, sid: speech_credential_sid }),
        ]}
      />
      {deleting && (
        <DeleteService
          service={service}
          onClose={() => setDeleting(false)}
          onDeleted={() => go({ ...listBackLink(speechList), ignoreBlocker: true })}
        />
      )}
    </>
  )
}

/** Reads a service, and its custom voices if the vendor supports them. */
const readWhole = async (owner: OwnerSid, sid: string) => {
  const service = await queryClient.fetchQuery({ ...oneSpeechQuery(owner, sid), staleTime: 0 })
  const voices = hasVoices(service) ? await queryClient.fetchQuery({ ...voicesQuery(sid), staleTime: 0 }) : []
  return toFormValues(service, voices)
}

const hasVoices = ({ vendor }: SpeechCredential): boolean => chosenVendor(vendor)?.customVoices === true

const ServiceEditor = ({ service, refusal }: ServiceProps) => {
  const voices = useQuery({ ...voicesQuery(service.speech_credential_sid), enabled: hasVoices(service) })
  if (hasVoices(service) && voices.data === undefined) return <FormLoading queries={[voices]} sections={2} />
  return <LoadedServiceEditor service={service} refusal={refusal} voices={voices.data} />
}

interface EditorProps extends ServiceProps {
  voices: readonly GoogleCustomVoice[] | undefined
}

/** Refetches of the service never overwrite unsaved edits. */
const LoadedServiceEditor = ({ service, refusal, voices }: EditorProps) => {
  const { speech_credential_sid } = service
  const service_provider_sid = useProviderSid()
  const owner = ownPath(service_provider_sid)
  const chooses = requiredSession().actor.scope !== 'account'
  const stored = useMemo(() => toFormValues(service, voices), [service, voices])
  const put = (body: ReturnType<typeof toPayload>) => {
    const { account_sid, service_provider_sid: provider } = owner
    return account_sid === undefined
      ? api('PUT /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid', {
          params: { service_provider_sid: provider, speech_credential_sid },
          body,
        })
      : api('PUT /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid', {
          params: { account_sid, speech_credential_sid },
          body,
        })
  }
  const change = useSaveParts({
    done: 'Speech credential updated successfully',
    changes: [['speech'], voicesQuery(speech_credential_sid).queryKey],
  })
  const state = useRecordForm({
    schema: changedSpeech,
    stored,
    latest: async () => {
      // A different user may have signed in from another tab since the service was read.
      if (!canOpenService(service))
        throw new ApiError('refused', 403, 'You do not have permissions to make changes to these Speech Credentials')
      return readWhole(owner, speech_credential_sid)
    },
    refusal: speechRefusal,
    save: async (values, before) => {
      // Sends all members, because the API drops omitted members (api/3-speech.md §1.9).
      const servicePart = { what: 'speech service', save: () => put(toPayload(values, before)) }
      const voicesParts = voiceParts(speech_credential_sid, voiceChanges(values, before), before.voices)
      await change.mutateAsync([servicePart, ...voicesParts])
      highlightRow(speechList, speech_credential_sid)
      // The server masks new secrets and assigns SIDs to new voices, so the form reads them again.
      const isOutdated = voicesParts.length > 0 || Object.keys(reenteredSecrets(values, before)).length > 0
      return isOutdated ? readWhole(owner, speech_credential_sid) : undefined
    },
  })

  // If a refetch is denied while the form has unsaved changes, the user stays on the page and sees the error on save.
  useRedirectOnError(state.form.formState.isDirty ? undefined : refusal, speechList.path)

  const vendor = chosenVendor(stored.vendor)
  return (
    <RecordForm
      label="Edit Speech Service"
      state={state}
      cancel={
        <ScreenLink {...listBackLink(speechList)} className={buttonClass('secondary')}>
          Cancel
        </ScreenLink>
      }
    >
      <StatusSection service={service} owner={owner} />
      <ServiceSection vendor={vendor} exists {...(chooses ? { service_provider_sid } : {})} />
      {vendor && <VendorFields vendor={vendor} exists />}
    </RecordForm>
  )
}
