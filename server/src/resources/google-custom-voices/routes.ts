import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { googleCustomVoiceEndpoints } from '@patchbay/contract/google-custom-voices'
import { canUse } from '../../auth/permissions.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import {
  changeGoogleCustomVoice,
  createGoogleCustomVoice,
  createGoogleCustomVoiceStore,
  deleteGoogleCustomVoice,
  saveVoiceCloningKey,
} from './store.ts'

interface RequestedOwner {
  account_sid?: string | undefined
  service_provider_sid?: string | undefined
}

export const googleCustomVoiceRoutes = ({
  database,
  write,
  owners,
}: Services): Handlers<keyof typeof googleCustomVoiceEndpoints> => {
  const voices = createGoogleCustomVoiceStore(database)

  /** Checks access to an owner. Callers without access cannot tell whether the resource exists. */
  const requireAccess = <T extends Owner>(actor: Actor, owner: T | undefined): T => {
    if (owner !== undefined && canUse(actor, owner)) return owner
    return throwApiError(actor.scope === 'admin' ? 'not_found' : 'insufficient_privileges')
  }

  const listOfCredential = async (actor: Actor, sid: string) => {
    requireAccess(actor, await owners.speech_credential(sid))
    return voices.ofCredential(sid)
  }

  /** Lists voices of the requested account or provider, or else of the caller's own. */
  const listOfLabel = async (actor: Actor, requested: RequestedOwner, label: string) => {
    const account_sid = requested.account_sid || actor.account_sid
    const service_provider_sid = requested.service_provider_sid || actor.service_provider_sid
    if (account_sid !== null) {
      const account = requireAccess(actor, await owners.account(account_sid))
      return voices.ofAccount(account_sid, account.service_provider_sid ?? '', label)
    }
    if (service_provider_sid === null)
      return throwInvalid('missing account_sid or service_provider_sid in query parameters', 'account_sid')
    requireAccess(actor, await owners.service_provider(service_provider_sid))
    return voices.ofProvider(service_provider_sid, label)
  }

  return {
    'GET /GoogleCustomVoices': async ({ actor, query: { speech_credential_sid, label = '', ...requested } }) =>
      ok(
        speech_credential_sid
          ? await listOfCredential(actor, speech_credential_sid)
          : await listOfLabel(actor, requested, label),
      ),

    'POST /GoogleCustomVoices': ({ actor, body }) =>
      createdSid(write(actor, (tx) => createGoogleCustomVoice(tx, actor, body))),

    'GET /GoogleCustomVoices/:google_custom_voice_sid': ({ params }) =>
      okOrNotFound(voices.read(params.google_custom_voice_sid)),

    'PUT /GoogleCustomVoices/:google_custom_voice_sid': ({ actor, params, body }) =>
      write(actor, (tx) => changeGoogleCustomVoice(tx, actor, params.google_custom_voice_sid, body)),

    'DELETE /GoogleCustomVoices/:google_custom_voice_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteGoogleCustomVoice(tx, actor, params.google_custom_voice_sid)),

    'POST /GoogleCustomVoices/:google_custom_voice_sid/VoiceCloningKey': async ({ actor, params, body }) => {
      const key = await body.file.text()
      await write(actor, (tx) => saveVoiceCloningKey(tx, actor, params.google_custom_voice_sid, key))
    },
  }
}
