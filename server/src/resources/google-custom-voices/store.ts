import { randomUUID } from 'node:crypto'
import { type Actor, can } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import {
  type GoogleCustomVoice,
  type GoogleCustomVoiceChange,
  googleCustomVoice,
  type NewGoogleCustomVoice,
} from '@patchbay/contract/google-custom-voices'
import { findVendor } from '@patchbay/contract/speech/catalogue'
import { cutKey, validateCustomVoice, visibleKeyCharacters } from '@patchbay/rules/speech/custom-voices'
import type { Kysely } from 'kysely'
import { lockAccessibleRow, ownedSpeechCredentials, toOwner } from '../../auth/owner-lookup.ts'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** SQL of Google's custom voices (docs/reference/platform-api/speech.md#google-custom-voices). */

const columns = googleCustomVoice
  .omit({ voice_cloning_key: true, voice_cloning_key_file: true })
  .keyof()
  .options.map((column) => `google_custom_voices.${column}` as const)

/** Selects voices with the visible part of the key, because a key can have a million characters. */
const selectVoices = (db: Kysely<Tables>) =>
  db
    .selectFrom('google_custom_voices')
    .select(columns)
    .select(({ fn, val }) =>
      fn<string | null>('substr', ['google_custom_voices.voice_cloning_key', val(1), val(visibleKeyCharacters)]).as(
        'key',
      ),
    )
    .orderBy('google_custom_voices.name')
    .orderBy('google_custom_voices.google_custom_voice_sid')

type Row = Awaited<ReturnType<ReturnType<typeof selectVoices>['executeTakeFirstOrThrow']>>

const toVoice = ({ key, ...row }: Row): GoogleCustomVoice => ({
  ...row,
  voice_cloning_key: key === null ? null : cutKey(key),
  voice_cloning_key_file: null,
})

/** Converts a voice for lists, which omit a missing key. */
const toListedVoice = (row: Row): GoogleCustomVoice => {
  const { voice_cloning_key, ...others } = toVoice(row)
  return voice_cloning_key === null ? others : { ...others, voice_cloning_key }
}

export const createGoogleCustomVoiceStore = ({ db, reader }: Database) => {
  const one = prepared(db, (sid: string) =>
    selectVoices(db).where('google_custom_voices.google_custom_voice_sid', '=', sid),
  )
  const ofCredential = prepared(reader, (sid: string) =>
    selectVoices(reader).where('google_custom_voices.speech_credential_sid', '=', sid),
  )
  const ofLabel = (label: string) =>
    selectVoices(reader)
      .innerJoin(
        'speech_credentials',
        'speech_credentials.speech_credential_sid',
        'google_custom_voices.speech_credential_sid',
      )
      .where(({ fn, val }) => fn.coalesce('speech_credentials.label', val('')), '=', label)
  /** Voices of the account's credentials, and of the shared ones of its provider. */
  const ofAccount = prepared(reader, (account: string, provider: string, label: string) =>
    ofLabel(label).where((where) =>
      where.or([
        where('speech_credentials.account_sid', '=', account),
        where.and([
          where('speech_credentials.account_sid', 'is', null),
          where('speech_credentials.service_provider_sid', '=', provider),
        ]),
      ]),
    ),
  )
  const ofProvider = prepared(reader, (provider: string, label: string) =>
    ofLabel(label)
      .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
      .where(
        ({ fn }) => fn.coalesce('accounts.service_provider_sid', 'speech_credentials.service_provider_sid'),
        '=',
        provider,
      ),
  )
  return {
    read: async (sid: string): Promise<GoogleCustomVoice | undefined> => (await one(sid)).map(toVoice)[0],
    ofCredential: async (sid: string) => (await ofCredential(sid)).map(toListedVoice),
    ofAccount: async (account: string, provider: string, label: string) =>
      (await ofAccount(account, provider, label)).map(toListedVoice),
    ofProvider: async (provider: string, label: string) => (await ofProvider(provider, label)).map(toListedVoice),
  }
}

/**
 * Checks that the caller may change a credential and that its vendor supports custom voices. Callers without access
 * cannot tell whether the credential exists.
 */
const checkCredential = async ({ trx }: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const credential = await ownedSpeechCredentials(trx)
    .select('speech_credentials.vendor')
    .where('speech_credentials.speech_credential_sid', '=', sid)
    .executeTakeFirst()
  if (credential === undefined || !can(actor, 'write', toOwner(credential)))
    return actor.scope === 'admin'
      ? throwInvalid('Invalid speech_credential_sid', 'speech_credential_sid')
      : throwApiError('insufficient_privileges')
  if (!findVendor(credential.vendor)?.customVoices)
    throwInvalid('speech_credential_sid must be of a vendor that has custom voices', 'speech_credential_sid')
}

type StoredVoice = Omit<GoogleCustomVoice, 'google_custom_voice_sid' | 'voice_cloning_key' | 'voice_cloning_key_file'>

/** Validates a voice. The cloning key may be uploaded later as a file. */
const checkVoice = ({ name, model, use_voice_cloning_key }: StoredVoice): void => {
  const faults = validateCustomVoice({ name, model, use_voice_cloning_key: use_voice_cloning_key === 1, hasKey: true })
  if (faults.model !== undefined) throwInvalid('missing field model', 'model')
}

/** Returns the owner of the credential for the audit trail, because the voice's row does not contain it. */
const findOwner = async ({ trx }: WriteTransaction, speech_credential_sid: string) =>
  toOwner(
    await ownedSpeechCredentials(trx)
      .where('speech_credentials.speech_credential_sid', '=', speech_credential_sid)
      .executeTakeFirstOrThrow(),
  )

const kind = 'google_custom_voice'

export const createGoogleCustomVoice = async (
  write: WriteTransaction,
  actor: Actor,
  { voice_cloning_key_file: _file, ...body }: NewGoogleCustomVoice,
): Promise<string> => {
  await checkCredential(write, actor, body.speech_credential_sid)
  const sid = randomUUID()
  const row = {
    google_custom_voice_sid: sid,
    ...body,
    model: body.model ?? '',
    reported_usage: body.reported_usage ?? 'REALTIME',
    use_voice_cloning_key: body.use_voice_cloning_key ?? 0,
    voice_cloning_key: body.voice_cloning_key ?? null,
  } as const
  checkVoice(row)
  await write.trx.insertInto('google_custom_voices').values(row).execute()
  const owner = await findOwner(write, body.speech_credential_sid)
  write.record({ action: 'create', kind, sid, owner, before: null, after: row })
  return sid
}

/**
 * Locks a voice for a change. Rejects if the caller has lost access to its credential since the request was authorized.
 */
const lockVoice = (write: WriteTransaction, actor: Actor, sid: string) => {
  const rows = write.trx.selectFrom('google_custom_voices').selectAll().where('google_custom_voice_sid', '=', sid)
  const find = ({ speech_credential_sid }: { speech_credential_sid: string }) => findOwner(write, speech_credential_sid)
  return lockAccessibleRow(write, actor, rows, find, 'insufficient_privileges')
}

/** Changes a voice. Absent fields, and a key that equals the masked one, remain unchanged. */
export const changeGoogleCustomVoice = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  { voice_cloning_key_file: _file, ...body }: GoogleCustomVoiceChange,
): Promise<void> => {
  const { row: before } = await lockVoice(write, actor, sid)
  const { speech_credential_sid = before.speech_credential_sid, voice_cloning_key: key } = body
  if (speech_credential_sid !== before.speech_credential_sid) await checkCredential(write, actor, speech_credential_sid)
  const isKeyUnchanged =
    key === undefined || (before.voice_cloning_key !== null && key === cutKey(before.voice_cloning_key))
  const after = {
    ...before,
    speech_credential_sid,
    name: body.name ?? before.name,
    model: body.model === undefined ? before.model : (body.model ?? ''),
    reported_usage: body.reported_usage ?? before.reported_usage,
    use_voice_cloning_key: body.use_voice_cloning_key ?? before.use_voice_cloning_key,
    voice_cloning_key: isKeyUnchanged ? before.voice_cloning_key : key,
  }
  checkVoice(after)
  await write.trx.updateTable('google_custom_voices').set(after).where('google_custom_voice_sid', '=', sid).execute()
  const owner = await findOwner(write, speech_credential_sid)
  write.record({ action: 'update', kind, sid, owner, before, after })
}

export const saveVoiceCloningKey = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  key: string,
): Promise<void> => {
  const { row: before, owner } = await lockVoice(write, actor, sid)
  const after = { ...before, voice_cloning_key: key }
  await write.trx
    .updateTable('google_custom_voices')
    .set({ voice_cloning_key: key })
    .where('google_custom_voice_sid', '=', sid)
    .execute()
  write.record({ action: 'update', kind, sid, owner, before, after })
}

export const deleteGoogleCustomVoice = async (write: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const { row: before, owner } = await lockVoice(write, actor, sid)
  await write.trx.deleteFrom('google_custom_voices').where('google_custom_voice_sid', '=', sid).execute()
  write.record({ action: 'delete', kind, sid, owner, before, after: null })
}
