import type { GoogleCustomVoice } from '@patchbay/contract/google-custom-voices'
import { findVendor } from '@patchbay/contract/speech/catalogue'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { fetchLatest } from '../../api/query-client.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { RecordForm } from '../../form/record-form.tsx'
import { PartialFailure, useSaveParts } from '../../form/save-in-parts.ts'
import { useEditForm } from '../../form/use-edit-form.ts'
import type { SaveOptions } from '../../form/use-record-form.tsx'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { likelyProvider } from '../../lazy/prefetch.ts'
import { ExportMenu } from '../../list/export-menu.tsx'
import { prefetchRecord, RecordPage, RecordView } from '../../record/record-page.tsx'
import { usedByTab } from '../../record/used-by-tab.tsx'
import { editSpeech, speechList } from '../../routes/speech-services.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { useProviderSid } from '../../session/current-provider.ts'
import { requiredSession } from '../../session/session.ts'
import { DeleteService } from './delete-service.lazy.ts'
import { knowsUses, speechUsesQuery, toDependentKinds } from './dependents.tsx'
import { useUnusedQuestion } from './form/service-checks.tsx'
import { ServiceSection } from './form/service-section.tsx'
import {
  changedSpeech,
  chosenVendor,
  speechFieldErrors,
  toFormValues,
  toPayload,
  voiceChanges,
} from './form/speech-form.ts'
import { StatusSection } from './form/status-section.tsx'
import { VendorFields } from './form/vendor-fields.lazy.ts'
import { voiceParts, voicesQuery } from './form/voices.ts'
import { oneSpeechQuery, ownPath } from './queries.ts'
import { canOpenService, serviceName } from './service.ts'

const page = { screen: editSpeech, list: speechList, kind: 'speech_credential' } as const

const HearTab = lazyPart('hear-speech', async () => (await import('./preview-tab.tsx')).HearTab)

const canSynthesize = ({ vendor, use_for_tts }: SpeechCredential): boolean =>
  Boolean(use_for_tts) && findVendor(vendor)?.tts !== undefined

const likelyQuery = async (speech_credential_sid: string) =>
  oneSpeechQuery(ownPath(await likelyProvider()), speech_credential_sid)

export const loader = ({ params: { speech_credential_sid } }: { params: { speech_credential_sid: string } }) =>
  prefetchRecord(page.kind, speech_credential_sid, likelyQuery(speech_credential_sid))

/** Edits one speech service, loaded by its SID. */
export const EditSpeechServicePage = (): ReactNode => {
  const { speech_credential_sid } = useScreenParams(editSpeech)
  const owner = ownPath(useProviderSid())
  const query = oneSpeechQuery(owner, speech_credential_sid)
  return (
    <RecordPage {...page} sid={speech_credential_sid} query={query} sections={2}>
      {(service, loadError) => (
        <RecordView
          {...page}
          sid={speech_credential_sid}
          name={serviceName(service)}
          prefix={editSpeech.title}
          actions={
            <ExportMenu
              endpoint={
                owner.account_sid === undefined
                  ? 'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid'
                  : 'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid'
              }
              input={{ params: { ...owner, speech_credential_sid } }}
              rows={() => [service]}
            />
          }
          deletion={
            !requiredSession().actor.is_view_only && {
              label: 'Delete speech service',
              renderDialog: (handlers) => <DeleteService service={service} {...handlers} />,
            }
          }
          tabsLabel="Parts of the speech service"
          details={<ServiceEditor service={service} loadError={loadError} />}
          tabs={[
            ...(canSynthesize(service)
              ? [{ id: 'hear', label: 'Hear it', content: <HearTab service={service} /> }]
              : []),
            ...(knowsUses()
              ? [
                  usedByTab({
                    query: speechUsesQuery(speech_credential_sid),
                    toKinds: toDependentKinds,
                    description: 'Applications that name the vendor and the label of this service.',
                    empty: {
                      title: 'No application uses this service.',
                      hint: 'An application uses it when it names its vendor and label.',
                    },
                  }),
                ]
              : []),
          ]}
        />
      )}
    </RecordPage>
  )
}

interface ServiceProps {
  service: SpeechCredential
  loadError: Error | null
}

/** Reads the custom voices of a service, if its vendor supports them. */
const withCurrentVoices = async (service: SpeechCredential) =>
  toFormValues(service, hasVoices(service) ? await fetchLatest(voicesQuery(service.speech_credential_sid)) : [])

/** Returns the stored voices, of which new ones have a SID. After a failed read, the next save merges them. */
const readVoices = async (service: SpeechCredential) => {
  const { voices, custom_voices } = await withCurrentVoices(service)
  return { voices, custom_voices }
}

const hasVoices = ({ vendor }: SpeechCredential): boolean => chosenVendor(vendor)?.customVoices === true

const ServiceEditor = ({ service, loadError }: ServiceProps) => {
  const voices = useQuery({ ...voicesQuery(service.speech_credential_sid), enabled: hasVoices(service) })
  if (hasVoices(service) && voices.data === undefined) return <FormLoading queries={[voices]} sections={2} />
  return <LoadedServiceEditor service={service} loadError={loadError} voices={voices.data} />
}

interface EditorProps extends ServiceProps {
  voices: readonly GoogleCustomVoice[] | undefined
}

const LoadedServiceEditor = ({ service, loadError, voices }: EditorProps) => {
  const { speech_credential_sid } = service
  const service_provider_sid = useProviderSid()
  const owner = ownPath(service_provider_sid)
  const canChooseAccount = requiredSession().actor.scope !== 'account'
  const stored = useMemo(() => toFormValues(service, voices), [service, voices])
  const put = (body: ReturnType<typeof toPayload>, options: SaveOptions) => {
    const { account_sid, service_provider_sid: provider } = owner
    return account_sid === undefined
      ? api(
          'PUT /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid',
          { params: { service_provider_sid: provider, speech_credential_sid }, body },
          options,
        )
      : api(
          'PUT /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid',
          { params: { account_sid, speech_credential_sid }, body },
          options,
        )
  }
  const change = useSaveParts({
    done: 'Speech credential updated successfully',
    changes: [['speech'], voicesQuery(speech_credential_sid).queryKey],
  })
  const recordForm = useEditForm({
    sid: speech_credential_sid,
    list: speechList,
    loadError,
    schema: changedSpeech,
    stored,
    // The version of a service covers its voices.
    versioned: { record: service, toValues: withCurrentVoices },
    check: async () => {
      // A different user may have signed in from another tab since the service was read.
      if (canOpenService(service)) return {}
      throw new ApiError('rejected', 403, 'You do not have permissions to make changes to these Speech Credentials')
    },
    toFieldErrors: speechFieldErrors,
    save: async (values, before, options) => {
      const { voices: _voices, custom_voices: _hasVoices, ...serviceValues } = values
      // Sends all members, because the API drops omitted members
      // (docs/reference/platform-api/speech.md#update-a-credential).
      const save = () => put(toPayload(values, before), options)
      const servicePart = { what: 'speech service', save, values: serviceValues }
      const voicesParts = voiceParts(speech_credential_sid, voiceChanges(values, before), before.voices)
      try {
        await change([servicePart, ...voicesParts])
      } catch (error) {
        if (error instanceof PartialFailure && error.saved) error.stored = await readVoices(service)
        throw error
      }
    },
  })

  const state = useUnusedQuestion(recordForm, stored)
  const vendor = chosenVendor(stored.vendor, stored.members)
  return (
    <RecordForm label="Edit Speech Service" state={state} list={speechList}>
      <StatusSection service={service} owner={owner} />
      <ServiceSection vendor={vendor} exists {...(canChooseAccount ? { service_provider_sid } : {})} />
      {vendor && <VendorFields vendor={vendor} exists speech_credential_sid={speech_credential_sid} />}
    </RecordForm>
  )
}
