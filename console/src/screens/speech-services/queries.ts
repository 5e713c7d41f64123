import type { speechAttention } from '@patchbay/contract/shared/attention-kinds'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { type FindRecords, recordLink } from '../../routes/record-link.ts'
import { editSpeech } from '../../routes/speech-services.ts'
import { requiredSession } from '../../session/session.ts'
import { canOpenService, serviceName } from './service.ts'

/** Returns the owner in API paths: the caller's account, or the service provider. */
export const ownPath = (service_provider_sid: string): OwnerSid => {
  const { scope, account_sid } = requiredSession().actor
  return scope === 'account' ? { account_sid: account_sid ?? '' } : { service_provider_sid }
}

export type SpeechAttention = (typeof speechAttention)[number]

/** Reads the services that an account can use, those of a provider, or those of a provider and its accounts with a problem. */
export const speechQuery = (owner: OwnerSid, attention?: SpeechAttention) =>
  queryOptions({
    queryKey: ['speech', owner, ...(attention === undefined ? [] : [{ attention }])],
    queryFn: (context) => {
      const { account_sid, service_provider_sid } = owner
      return account_sid === undefined
        ? api(
            'GET /ServiceProviders/:service_provider_sid/SpeechCredentials',
            { params: { service_provider_sid }, query: { attention } },
            queryCallOptions(context),
          )
        : api('GET /Accounts/:account_sid/SpeechCredentials', { params: { account_sid } }, queryCallOptions(context))
    },
  })

export const oneSpeechQuery = (owner: OwnerSid, speech_credential_sid: string) =>
  queryOptions({
    queryKey: ['speech', owner, speech_credential_sid],
    queryFn: (context) => {
      const { account_sid, service_provider_sid } = owner
      return account_sid === undefined
        ? api(
            'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid',
            { params: { service_provider_sid, speech_credential_sid } },
            queryCallOptions(context),
          )
        : api(
            'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid',
            { params: { account_sid, speech_credential_sid } },
            queryCallOptions(context),
          )
    },
  })

/** Tests a stored credential against the vendor's API. */
export const trySpeech = ({ account_sid, service_provider_sid }: OwnerSid, speech_credential_sid: string) => {
  const options: CallOptions = { unasked: true }
  return account_sid === undefined
    ? api(
        'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid/test',
        { params: { service_provider_sid, speech_credential_sid } },
        options,
      )
    : api(
        'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid/test',
        { params: { account_sid, speech_credential_sid } },
        options,
      )
}

export const serviceLink = recordLink(editSpeech, (service: SpeechCredential) => serviceName(service), canOpenService)

/** Returns the speech services of a service provider for the command palette. */
export const findRecords: FindRecords = async ({ toFoundRecords, service_provider_sid, read }) => {
  const services = await read(speechQuery(ownPath(service_provider_sid)))
  return toFoundRecords(serviceLink, services.filter(canOpenService))
}
