import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import type { Vendor } from '@patchbay/contract/speech/descriptor'
import type { SpokenPhrase, speechSynthesisEndpoints } from '@patchbay/contract/speech-synthesis'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { synthesizeSpeech } from '../../adapters/speech/synthesize.ts'
import { type Credential, type SynthesisRequest, VendorError } from '../../adapters/speech/speech.ts'
import type { Services } from '../services.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { createSpeechCredentialStore, readable, type Whose } from './store.ts'
import { createSynthesisStore } from './synthesis-store.ts'
import { runForTenant } from './run-for-tenant.ts'

/** Each asks a vendor in the name of a tenant. */
const phrasesAMinute = { account: 60, provider: 180 }

/** `custom_{sid}` is one of the custom voices (api/3-speech.md §1.13). */
const ownVoice = /^custom_(.+)$/

export const speechSynthesisRoutes = (services: Services): Handlers<keyof typeof speechSynthesisEndpoints> => {
  const { configuration, database, encryption, outgoing, rates } = services
  const store = createSynthesisStore(database)
  const credentials = createSpeechCredentialStore(database, encryption)

  const activeAccount = async (account_sid: string): Promise<Whose> => {
    const account = await store.account(account_sid)
    return account?.is_active ? account : throwInvalid(`Account not found for sid ${account_sid}`)
  }

  const credentialFor = async (sid: string, whose: Whose) =>
    (await credentials.usable(sid, whose)) ??
    throwInvalid(`There is no available speech credential for ${sid}`, 'speech_credential_sid')

  const customVoice = async (sid: string, whose: Whose): Promise<SynthesisRequest['custom']> => {
    const voice = await store.customVoice(sid)
    if (voice === undefined || !(await credentials.usable(voice.speech_credential_sid, whose)))
      return throwInvalid(`There is no custom voice ${sid}`, 'voice')
    const { model, reported_usage, use_voice_cloning_key, voice_cloning_key } = voice
    if (!use_voice_cloning_key) return { model, reportedUsage: reported_usage ?? 'REALTIME' }
    return {
      voiceCloningKey: voice_cloning_key ?? throwInvalid('The custom voice has no voice cloning key yet', 'voice'),
    }
  }

  const phraseOf = async (
    { text, language, voice, engine }: SpokenPhrase,
    vendor: Vendor,
    whose: Whose,
  ): Promise<SynthesisRequest> => {
    const [, sid] = (vendor.customVoices && ownVoice.exec(voice)) || []
    return { text, language, voice, engine, custom: sid === undefined ? undefined : await customVoice(sid, whose) }
  }

  const said = async (whose: Whose, vendor: string, stored: Credential, phrase: SynthesisRequest, asMp3: boolean) => {
    try {
      return await runForTenant(whose, () => synthesizeSpeech(vendor, stored, phrase, { outgoing, asMp3 }))
    } catch (error) {
      if (error instanceof VendorError) return throwApiError('vendor_failed', { msg: error.message })
      throw error
    }
  }

  return {
    'POST /Accounts/:account_sid/TtsCache/Synthesize': async ({ params: { account_sid }, body }) => {
      const whose = await activeAccount(account_sid)
      const row = await credentialFor(body.speech_credential_sid, whose)
      await countForTenant(rates, 'speech-synthesis', phrasesAMinute, whose)
      const { vendor, stored } = readable(row, encryption, configuration)
      const phrase = await phraseOf(body, vendor, whose)
      const { milliseconds, ...audio } = await said(whose, row.vendor, stored, phrase, body.encodingMp3 === 1)
      const timing = `first-byte;dur=${milliseconds.firstByte.toFixed(1)}, vendor;dur=${milliseconds.total.toFixed(1)}`
      return ok({ ...audio, headers: { 'server-timing': timing } })
    },
  }
}
