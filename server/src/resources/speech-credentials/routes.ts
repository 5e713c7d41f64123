import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { findVendor } from '@patchbay/contract/speech/catalogue'
import type {
  NewSpeechCredential,
  SpeechCredentialChange,
  speechCredentialEndpoints,
} from '@patchbay/contract/speech-credentials'
import { createVoiceCatalog, VoiceCatalogError } from '../../adapters/speech/voice-catalog.ts'
import { type OwnerInput, resolveOwner } from '../../auth/resolve-owner.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createProblemReader } from '../shared/attention-records.ts'
import { readSpeechUses } from '../shared/speech-uses.ts'
import { credentialForVendor, decryptCredential } from './credential-members.ts'
import { runForTenant } from './run-for-tenant.ts'
import { createSpeechTests } from './speech-tests.ts'
import {
  type CredentialRow,
  changeSpeechCredential,
  createSpeechCredential,
  createSpeechCredentialStore,
  deleteSpeechCredential,
  replaceKeys,
} from './store.ts'

export const speechCredentialRoutes = (services: Services): Handlers<keyof typeof speechCredentialEndpoints> => {
  const { configuration, database, write, owners, encryption, outgoing } = services
  const credentials = createSpeechCredentialStore(database, encryption)
  const lists = createVoiceCatalog(outgoing)
  const readProblem = createProblemReader(services)

  const resolveAccount = async (account_sid: string): Promise<Owner> => {
    const account = (await owners.account(account_sid)) ?? throwApiError('not_found')
    return { account_sid, service_provider_sid: account.service_provider_sid }
  }

  /** Users of an account also get the credentials of their account through the path of their provider. */
  const toTenant = ({ account_sid }: Actor, service_provider_sid: string): Owner => ({
    account_sid,
    service_provider_sid,
  })

  const checkVendor = (name: string): void => {
    if (!configuration.customSpeech && findVendor(name)?.named)
      throwInvalid('custom speech vendors are off in this installation (DISABLE_CUSTOM_SPEECH)', 'vendor')
  }

  const add = async (actor: Caller, body: NewSpeechCredential, ownerInput: OwnerInput) => {
    checkVendor(body.vendor)
    return createdSid(
      write(actor, async (tx) =>
        createSpeechCredential(tx, body, await resolveOwner(tx.trx, actor, ownerInput), encryption),
      ),
    )
  }

  interface Path {
    account_sid?: string
    service_provider_sid?: string
    speech_credential_sid: string
  }

  /** Checks that the path names the owner of the credential. Access to the credential has been checked before. */
  const checkPath = async (path: Path): Promise<void> => {
    const owner = (await owners.speech_credential(path.speech_credential_sid)) ?? throwApiError('not_found')
    const pathOwner = path.account_sid === undefined ? path : await resolveAccount(path.account_sid)
    const isOwnAccount =
      owner.account_sid === null || path.account_sid === undefined || owner.account_sid === path.account_sid
    if (!isOwnAccount || owner.service_provider_sid !== (pathOwner.service_provider_sid ?? null))
      throwApiError('not_found')
  }

  const readRow = async (path: Path): Promise<CredentialRow> => {
    await checkPath(path)
    return (await credentials.read(path.speech_credential_sid)) ?? throwApiError('not_found')
  }

  const read = async (actor: Actor, path: Path) => ok(credentials.toResponse(await readRow(path), actor))

  const change = async (actor: Caller, path: Path, body: SpeechCredentialChange) => {
    await checkPath(path)
    const sid = path.speech_credential_sid
    await write(actor, (tx) => changeSpeechCredential(tx, actor, sid, body, encryption))
  }

  const remove = async (actor: Caller, path: Path) => {
    await checkPath(path)
    const sid = path.speech_credential_sid
    await write(actor, (tx) => deleteSpeechCredential(tx, actor, sid))
  }

  const tests = createSpeechTests(services)

  interface ListsQuery {
    vendor?: string | undefined
    label?: string | undefined
    create_new?: string | undefined
  }

  const listLanguagesAndVoices = async ({ vendor, label = '', create_new }: ListsQuery, tenant: Owner) => {
    if (!vendor) return throwInvalid('vendor is required', 'vendor')
    const row = create_new ? undefined : await credentials.find(vendor, label, tenant)
    try {
      const stored = row && decryptCredential(row, encryption)
      const credential = row && stored && credentialForVendor(row, stored, configuration)
      return ok(await runForTenant(tenant, () => lists.getLists(vendor, credential)))
    } catch (error) {
      if (error instanceof VoiceCatalogError) return throwApiError('vendor_failed', { msg: error.message })
      throw error
    }
  }

  return {
    'GET /Accounts/:account_sid/SpeechCredentials': async ({ actor, params: { account_sid } }) =>
      ok(await credentials.list(actor, await resolveAccount(account_sid))),

    'GET /ServiceProviders/:service_provider_sid/SpeechCredentials': async ({ actor, params, query }) =>
      ok(
        query.attention === undefined
          ? await credentials.list(actor, toTenant(actor, params.service_provider_sid))
          : await credentials.listSome(actor, await readProblem(query.attention, actor, params.service_provider_sid)),
      ),

    'POST /Accounts/:account_sid/SpeechCredentials': ({ actor, params: { account_sid }, body }) =>
      add(actor, body, { ...body, account_sid: body.account_sid || account_sid }),

    'POST /ServiceProviders/:service_provider_sid/SpeechCredentials': ({ actor, params, body }) => {
      const isOwn = actor.scope === 'admin' || params.service_provider_sid === actor.service_provider_sid
      if (!isOwn && (actor.scope !== 'account' || body.account_sid !== actor.account_sid))
        throwApiError('insufficient_privileges')
      return add(actor, body, {
        account_sid: body.account_sid,
        service_provider_sid: body.service_provider_sid || params.service_provider_sid,
      })
    },

    'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params }) => read(actor, params),
    'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params }) =>
      read(actor, params),

    'PUT /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params, body }) =>
      change(actor, params, body),
    'PUT /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params, body }) =>
      change(actor, params, body),

    'DELETE /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params }) =>
      remove(actor, params),
    'DELETE /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid': ({ actor, params }) =>
      remove(actor, params),

    'GET /Accounts/:account_sid/SpeechCredentials/:speech_credential_sid/test': async ({ actor, params }) =>
      ok(await tests.testStored(actor, await readRow(params))),
    'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/:speech_credential_sid/test': async ({
      actor,
      params,
    }) => ok(await tests.testStored(actor, await readRow(params))),

    'GET /Accounts/:account_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': async ({ params, query }) =>
      listLanguagesAndVoices(query, await resolveAccount(params.account_sid)),
    'GET /ServiceProviders/:service_provider_sid/SpeechCredentials/speech/supportedLanguagesAndVoices': ({
      actor,
      params,
      query,
    }) => listLanguagesAndVoices(query, toTenant(actor, params.service_provider_sid)),

    'PUT /patchbay/speech-credentials/:speech_credential_sid/keys': async ({ actor, params, body }) => {
      await write(actor, (tx) => replaceKeys(tx, actor, params.speech_credential_sid, body.keys, encryption))
    },

    'POST /patchbay/speech-credentials/test': async ({ actor, body }) => {
      checkVendor(body.vendor)
      return ok(await tests.testNew(actor, body))
    },

    'POST /patchbay/speech-credentials/:speech_credential_sid/test': async ({ actor, params, body }) =>
      ok(
        await tests.testDraft(
          actor,
          (await credentials.read(params.speech_credential_sid)) ?? throwApiError('not_found'),
          body,
        ),
      ),

    'GET /patchbay/speech-credentials/:speech_credential_sid/used-by': async ({ actor, params }) =>
      ok({
        applications: await readSpeechUses(
          database,
          actor,
          (await credentials.read(params.speech_credential_sid)) ?? throwApiError('not_found'),
        ),
      }),
  }
}
