import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Vendor } from '@patchbay/contract/speech/descriptor'
import type { SpokenPhrase, speechSynthesisEndpoints } from '@patchbay/contract/speech-synthesis'
import { type Credential, type SynthesisRequest, VendorError } from '../../adapters/speech/speech.ts'
import { synthesizeSpeech } from '../../adapters/speech/synthesize.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { requireCredential } from './credential-members.ts'
import { runForTenant } from './run-for-tenant.ts'
import { createSpeechCredentialStore } from './store.ts'
import { createSynthesisStore } from './synthesis-store.ts'

/**
 * Maximum phrases per minute of an account, and of all accounts of a provider. Each phrase is a request to a vendor
 * with the tenant's credential.
 */
const maxPhrasesPerMinute = { account: 60, provider: 180 }

/** A voice `custom_{sid}` is a custom voice (docs/reference/platform-api/speech.md#google-custom-voices). */
const customVoicePattern = /^custom_(.+)$/

export const speechSynthesisRoutes = (services: Services): Handlers<keyof typeof speechSynthesisEndpoints> => {
  const { configuration, database, encryption, outgoing, rates } = services
  const store = createSynthesisStore(database)
  const credentials = createSpeechCredentialStore(database, encryption)

  const requireActiveAccount = async (account_sid: string): Promise<Owner> => {
    const account = await store.account(account_sid)
    return account?.is_active ? account : throwInvalid(`Account not found for sid ${account_sid}`)
  }

  const requireUsableCredential = async (sid: string, tenant: Owner) =>
    (await credentials.findUsable(sid, tenant)) ??
    throwInvalid(`There is no speech credential available for ${sid}`, 'speech_credential_sid')

  const readCustomVoice = async (sid: string, tenant: Owner): Promise<SynthesisRequest['custom']> => {
    const voice = await store.customVoice(sid)
    if (voice === undefined || !(await credentials.findUsable(voice.speech_credential_sid, tenant)))
      return throwInvalid(`There is no custom voice ${sid}`, 'voice')
    const { model, reported_usage, use_voice_cloning_key, voice_cloning_key } = voice
    if (!use_voice_cloning_key) return { model, reportedUsage: reported_usage ?? 'REALTIME' }
    return {
      voiceCloningKey: voice_cloning_key ?? throwInvalid('The custom voice has no voice cloning key yet', 'voice'),
    }
  }

  const buildPhrase = async (
    { text, language, voice, engine }: SpokenPhrase,
    vendor: Vendor,
    tenant: Owner,
  ): Promise<SynthesisRequest> => {
    const [, sid] = (vendor.customVoices && customVoicePattern.exec(voice)) || []
    return { text, language, voice, engine, custom: sid === undefined ? undefined : await readCustomVoice(sid, tenant) }
  }

  const synthesize = async (
    tenant: Owner,
    vendor: string,
    stored: Credential,
    phrase: SynthesisRequest,
    asMp3: boolean,
  ) => {
    try {
      return await runForTenant(tenant, () => synthesizeSpeech(vendor, stored, phrase, { outgoing, asMp3 }))
    } catch (error) {
      if (error instanceof VendorError) return throwApiError('vendor_failed', { msg: error.message })
      throw error
    }
  }

  return {
    'POST /Accounts/:account_sid/TtsCache/Synthesize': async ({ params: { account_sid }, body }) => {
      const tenant = await requireActiveAccount(account_sid)
      const row = await requireUsableCredential(body.speech_credential_sid, tenant)
      await countForTenant(rates, 'speech-synthesis', maxPhrasesPerMinute, tenant)
      const { vendor, stored } = requireCredential(row, encryption, configuration)
      const phrase = await buildPhrase(body, vendor, tenant)
      const { milliseconds, ...audio } = await synthesize(tenant, row.vendor, stored, phrase, body.encodingMp3 === 1)
      const timing = `first-byte;dur=${milliseconds.firstByte.toFixed(1)}, vendor;dur=${milliseconds.total.toFixed(1)}`
      return ok({ ...audio, headers: { 'server-timing': timing } })
    },
  }
}
