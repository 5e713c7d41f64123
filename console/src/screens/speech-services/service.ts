import { can } from '@patchbay/contract/api/access'
import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { vendorName } from '@patchbay/rules/speech/names'
import { requiredSession } from '../../session/session.ts'

type Service = Pick<
  SpeechCredential,
  'vendor' | 'label' | 'account_sid' | 'service_provider_sid' | 'use_for_tts' | 'use_for_stt'
>

/** Returns for example "Deepgram", or "Deepgram (main)" for a service with a label. */
export const serviceName = ({ vendor, label }: Pick<Service, 'vendor' | 'label'>): string =>
  label ? `${vendorName(vendor)} (${label})` : vendorName(vendor)

export const getUses = ({ use_for_tts, use_for_stt }: Pick<Service, 'use_for_tts' | 'use_for_stt'>) => ({
  tts: Boolean(use_for_tts),
  stt: Boolean(use_for_stt),
})

export const usageText = (service: Pick<Service, 'use_for_tts' | 'use_for_stt'>): string => {
  const { tts, stt } = getUses(service)
  return [...(tts ? ['TTS'] : []), ...(stt ? ['STT'] : [])].join('/') || 'Not in use'
}

/** Returns whether the caller can open a service. Account users cannot open services for all accounts (ROLES-21). */
export const canOpenService = ({ account_sid, service_provider_sid }: Service): boolean =>
  can(requiredSession().actor, 'read', { account_sid, service_provider_sid })
