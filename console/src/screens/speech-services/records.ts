import type { FoundRecord } from '../../routes/define-screen.ts'
import { queryClient } from '../../api/query-client.ts'
import { ownPath, speechQuery } from './queries.ts'
import { canOpenService, serviceName } from './service.ts'
import { editSpeech } from '../../routes/speech-services.ts'

export const read = async (service_provider_sid: string): Promise<readonly FoundRecord[]> => {
  const services = await queryClient.fetchQuery({ ...speechQuery(ownPath(service_provider_sid)), staleTime: 60_000 })
  return services.filter(canOpenService).map((service) => ({
    label: serviceName(service),
    sid: service.speech_credential_sid,
    link: { to: editSpeech.path, params: { speech_credential_sid: service.speech_credential_sid } },
  }))
}
