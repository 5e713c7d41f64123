import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Stored, Vendor } from '@patchbay/contract/speech/descriptor'
import {
  type NewSpeechCredential,
  onlyUses,
  type SpeechCredential,
  type SpeechCredentialChange,
  speechCredential,
} from '@patchbay/contract/speech-credentials'
import { changedStored, toResponseMembers, withNewKeys } from '@patchbay/rules/speech/credential'
import { describeVendor } from '@patchbay/rules/speech/generic'
import type { Kysely } from 'kysely'
import { lockOwnedRow, toOwner } from '../../auth/owner-lookup.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { isUsable } from '../shared/usable-speech-services.ts'
import {
  changeUses,
  createStored,
  decryptCredential,
  encryptCredential,
  getUses,
  requireUsable,
  throwUnusable,
} from './credential-members.ts'

/** SQL of speech credentials (docs/reference/platform-api/speech.md#speech-credentials). */

const columns = speechCredential.keyof().options.map((column) => `speech_credentials.${column}` as const)

const selectCredentials = (db: Kysely<Tables>) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(columns)
    .select(['speech_credentials.credential', 'accounts.service_provider_sid as provider_of_account'])

export type CredentialRow = Awaited<ReturnType<ReturnType<typeof selectCredentials>['executeTakeFirstOrThrow']>>

const toScopedOwner = ({ account_sid, service_provider_sid, provider_of_account }: CredentialRow): Owner =>
  toOwner({ account_sid, own_provider: service_provider_sid, provider_of_account })

/** Converts a credential. If it cannot be decrypted, the vendor's fields are omitted. */
const toSpeechCredential = (row: CredentialRow, actor: Actor, encryption: Encryption): SpeechCredential => {
  const { credential: _credential, provider_of_account: _provider, ...ownColumns } = row
  const stored = decryptCredential(row, encryption)
  const members =
    stored === undefined
      ? {}
      : toResponseMembers(describeVendor(row.vendor, stored), stored, can(actor, 'write', toScopedOwner(row)))
  return { ...members, ...ownColumns }
}

export const createSpeechCredentialStore = ({ db, reader }: Database, encryption: Encryption) => {
  const list = prepared(reader, (account: string, provider: string) =>
    selectCredentials(reader)
      .where((where) => isUsable(where, account, provider))
      .orderBy('speech_credentials.vendor')
      .orderBy('speech_credentials.label')
      .orderBy('speech_credentials.speech_credential_sid'),
  )
  const one = prepared(db, (sid: string) =>
    selectCredentials(db).where('speech_credentials.speech_credential_sid', '=', sid),
  )
  const selectByLabel = prepared(db, (vendor: string, label: string, account: string, provider: string) =>
    selectCredentials(db)
      .where('speech_credentials.vendor', '=', vendor)
      .where(({ fn, val }) => fn.coalesce('speech_credentials.label', val('')), '=', label)
      .where((where) => isUsable(where, account, provider))
      .orderBy('speech_credentials.created_at'),
  )
  return {
    list: async (actor: Actor, { account_sid, service_provider_sid }: Owner): Promise<SpeechCredential[]> =>
      (await list(account_sid ?? '', service_provider_sid ?? '')).map((row) =>
        toSpeechCredential(row, actor, encryption),
      ),

    /** Lists some credentials. The caller has checked the access to them. */
    listSome: async (actor: Actor, sids: readonly string[]): Promise<SpeechCredential[]> => {
      if (sids.length === 0) return []
      const rows = await selectCredentials(reader)
        .where('speech_credentials.speech_credential_sid', 'in', sids)
        .orderBy('speech_credentials.vendor')
        .orderBy('speech_credentials.label')
        .orderBy('speech_credentials.speech_credential_sid')
        .execute()
      return rows.map((row) => toSpeechCredential(row, actor, encryption))
    },

    read: async (sid: string): Promise<CredentialRow | undefined> => (await one(sid))[0],

    /** Returns a credential if the tenant may use it. */
    findUsable: async (
      sid: string,
      { account_sid, service_provider_sid }: Owner,
    ): Promise<CredentialRow | undefined> => {
      const [row] = await one(sid)
      const owner = row && toScopedOwner(row)
      const isPermitted =
        owner?.account_sid === null
          ? owner.service_provider_sid !== null && owner.service_provider_sid === service_provider_sid
          : owner?.account_sid === account_sid
      return isPermitted ? row : undefined
    },

    toResponse: (row: CredentialRow, actor: Actor): SpeechCredential => toSpeechCredential(row, actor, encryption),

    /**
     * Returns the effective credential for a vendor and label. A credential of the account takes precedence over one of
     * its provider.
     */
    find: async (vendor: string, label: string, { account_sid, service_provider_sid }: Owner) => {
      const rows = await selectByLabel(vendor, label, account_sid ?? '', service_provider_sid ?? '')
      return rows.find((row) => row.account_sid !== null) ?? rows[0]
    },
  }
}

/** Checks that a label is unique among the credentials that the owner can use. */
const checkLabel = async (
  { trx, engine }: WriteTransaction,
  vendor: string,
  label: string,
  owner: Owner,
): Promise<void> => {
  // The lock on the provider serializes creations, because no unique index prevents duplicate labels.
  await lockForUpdate(
    engine,
    trx
      .selectFrom('service_providers')
      .select('service_provider_sid')
      .where('service_provider_sid', '=', owner.service_provider_sid ?? ''),
  ).execute()
  const taken = await trx
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select('speech_credentials.label')
    .where('vendor', '=', vendor)
    .where('label', '=', label)
    .where((where) => isUsable(where, owner.account_sid ?? '', owner.service_provider_sid ?? ''))
    .limit(1)
    .executeTakeFirst()
  if (taken)
    throwApiError('label_taken', {
      msg: `Label ${label} is already in use for another speech credential`,
      field: 'label',
    })
}

/** Returns the representation for the audit trail, with masked secrets. */
const toAuditRecord = (row: object, vendor: Vendor, stored: Stored): object => ({
  ...row,
  ...toResponseMembers(vendor, stored, false),
})

export const createSpeechCredential = async (
  write: WriteTransaction,
  input: NewSpeechCredential,
  owner: Owner,
  encryption: Encryption,
): Promise<string> => {
  const {
    vendor: name,
    label: requestedLabel,
    use_for_tts,
    use_for_stt,
    account_sid: _a,
    service_provider_sid: _p,
    ...body
  } = input
  const label = requestedLabel || null
  const created = createStored(name, body, getUses(input))
  if (label !== null) await checkLabel(write, name, label, owner)
  const sid = randomUUID()
  const row = {
    speech_credential_sid: sid,
    ...owner,
    vendor: name,
    label,
    use_for_tts: use_for_tts ?? null,
    use_for_stt: use_for_stt ?? null,
  }
  const credential = encryptCredential(created.stored, encryption)
  await write.trx
    .insertInto('speech_credentials')
    .values({ ...row, credential })
    .execute()
  const after = toAuditRecord(row, created.vendor, created.stored)
  write.record({ action: 'create', kind: 'speech_credential', sid, name: name, before: null, after })
  return sid
}

/** Locks a credential for a change. Rejects if the actor has lost access since the request was authorized. */
export const lockSpeechCredential = async (write: WriteTransaction, actor: Actor, sid: string) => {
  const rows = write.trx.selectFrom('speech_credentials').selectAll().where('speech_credential_sid', '=', sid)
  return (await lockOwnedRow(write, actor, { kind: 'speech_credential', sid, rows }, 'insufficient_privileges')).row
}

/** Locks a credential and decrypts it. Throws if the secret of this installation does not fit. */
const lockDecrypted = async (write: WriteTransaction, actor: Actor, sid: string, encryption: Encryption) => {
  const { credential, ...before } = await lockSpeechCredential(write, actor, sid)
  const stored = decryptCredential({ credential }, encryption)
  if (stored === undefined)
    return throwUnusable('the stored credentials cannot be decrypted with the secret of this installation')
  return { credential, before, vendor: describeVendor(before.vendor, stored), stored }
}

type DecryptedCredential = Awaited<ReturnType<typeof lockDecrypted>>

/**
 * Stores changed columns and vendor-specific members of a locked credential, and records the change.
 * @param more further members of the audit record
 */
const saveChange = async (
  write: WriteTransaction,
  sid: string,
  { before, vendor, stored }: DecryptedCredential,
  { newColumns, changed, credential }: { newColumns: Partial<SpeechCredential>; changed: Stored; credential: string },
  more: object = {},
): Promise<void> => {
  await write.trx
    .updateTable('speech_credentials')
    .set({ ...newColumns, credential })
    .where('speech_credential_sid', '=', sid)
    .execute()
  write.record({
    action: 'update',
    kind: 'speech_credential',
    sid,
    name: before.vendor,
    before: toAuditRecord(before, vendor, stored),
    after: { ...toAuditRecord({ ...before, ...newColumns }, vendor, changed), ...more },
  })
}

/** Replaces keys. The results of the last test are cleared, because they are those of the old keys. */
export const replaceKeys = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  keys: Readonly<Record<string, string>>,
  encryption: Encryption,
): Promise<void> => {
  const locked = await lockDecrypted(write, actor, sid, encryption)
  const changed = requireUsable(withNewKeys(locked.vendor, locked.stored, keys))
  const newColumns = { last_tested: null, tts_tested_ok: null, stt_tested_ok: null }
  const credential = encryptCredential(changed.stored, encryption)
  // The record names the keys, because it contains no secrets.
  const more = { replaced_keys: Object.keys(keys) }
  await saveChange(write, sid, locked, { newColumns, changed: changed.stored, credential }, more)
}

export const changeSpeechCredential = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  { use_for_tts, use_for_stt, ...body }: SpeechCredentialChange,
  encryption: Encryption,
): Promise<void> => {
  if (use_for_tts === undefined && use_for_stt === undefined) throwUnusable(onlyUses)
  const locked = await lockDecrypted(write, actor, sid, encryption)
  const { before, vendor, stored } = locked
  const uses = changeUses(before, { use_for_tts, use_for_stt })
  const changed = requireUsable(changedStored(vendor, stored, body, getUses(uses)))
  const isSame = isDeepStrictEqual(changed.stored, stored)
  const credential = isSame ? locked.credential : encryptCredential(changed.stored, encryption)
  await saveChange(write, sid, locked, { newColumns: uses, changed: changed.stored, credential })
}

export const deleteSpeechCredential = async (write: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const { credential: _credential, ...before } = await lockSpeechCredential(write, actor, sid)
  await write.trx.deleteFrom('speech_credentials').where('speech_credential_sid', '=', sid).execute()
  write.record({ action: 'delete', kind: 'speech_credential', sid, name: before.vendor, before, after: null })
}

/** Stores test results. Results of parts that were not tested remain unchanged. */
export const saveTest = async (
  { db }: Database,
  sid: string,
  tested: { last_tested: string; tts_tested_ok?: 0 | 1; stt_tested_ok?: 0 | 1 },
): Promise<void> => {
  await db.updateTable('speech_credentials').set(tested).where('speech_credential_sid', '=', sid).execute()
}
