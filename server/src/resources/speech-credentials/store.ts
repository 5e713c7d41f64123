import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Actor, can, type Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { findVendor, namedVendor } from '@patchbay/contract/speech/catalogue'
import { isOn, type Stored, type Vendor } from '@patchbay/contract/speech/descriptor'
import {
  type NewSpeechCredential,
  onlyUses,
  type SpeechCredential,
  type SpeechCredentialChange,
  speechCredential,
} from '@patchbay/contract/speech-credentials'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import {
  changedStored,
  findFileField,
  newStored,
  toResponseMembers,
  type Uses,
  withNewKeys,
} from '@patchbay/rules/speech/credential'
import { describeVendor, newGenericMembers, validateVendorName } from '@patchbay/rules/speech/generic'
import type { Kysely } from 'kysely'
import { lockOwnedRow, toOwner } from '../../auth/owner-lookup.ts'
import type { Configuration } from '../../config/configuration.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { isUsable } from '../shared/usable-speech-services.ts'

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

export const getUses = (row: { use_for_tts?: unknown; use_for_stt?: unknown }): Uses => ({
  tts: isOn(row.use_for_tts),
  stt: isOn(row.use_for_stt),
})

/** Returns undefined if the credential cannot be decrypted with the secret of this installation. */
export const decryptCredential = (
  { credential }: Pick<CredentialRow, 'credential'>,
  encryption: Encryption,
): Stored | undefined => {
  try {
    const value: unknown = JSON.parse(encryption.decrypt(credential) ?? '')
    return typeof value === 'object' && value !== null ? (value as Stored) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the credential for requests to a vendor. This is the only place that permits an AWS service to use the
 * server's own identity; a stored credential never does.
 */
export const credentialForVendor = (
  row: Pick<CredentialRow, 'vendor' | 'account_sid' | 'service_provider_sid'>,
  stored: Stored,
  { awsIdentityForSpeech }: Pick<Configuration, 'awsIdentityForSpeech'>,
): Stored =>
  row.vendor === 'aws'
    ? { ...stored, aws_external_id: awsIdentityForSpeech ? (row.account_sid ?? row.service_provider_sid) : null }
    : stored

/** Returns the vendor of a row and its decrypted credential for requests. */
export const requireCredential = (
  row: CredentialRow,
  encryption: Encryption,
  configuration: Pick<Configuration, 'awsIdentityForSpeech'>,
): { vendor: Vendor; stored: Stored } => {
  const stored = decryptCredential(row, encryption)
  return stored === undefined
    ? throwApiError('unusable_speech_credential', { msg: 'the stored credentials cannot be read' })
    : { vendor: describeVendor(row.vendor, stored), stored: credentialForVendor(row, stored, configuration) }
}

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

const throwUnusable = (msg: string, field?: string): never =>
  throwApiError('unusable_speech_credential', { msg, ...(field ? { field } : {}) })

const encryptCredential = (stored: Stored, encryption: Encryption): string => {
  const text = encryption.encrypt(JSON.stringify(stored))
  // The encrypted text is more than twice as long as the JSON.
  return text.length > lengths.stored ? throwUnusable('the credentials are too long to be stored') : text
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

/** Returns the vendor of a new credential and the members to store. */
const createStored = (name: string, body: Stored, uses: Uses): { vendor: Vendor; stored: Stored } => {
  const knownVendor = findVendor(name)
  if (knownVendor === undefined ? validateVendorName(name) !== undefined : name === namedVendor(''))
    return throwUnusable(`invalid or missing vendor: ${name}`, 'vendor')
  if (knownVendor !== undefined) {
    const created = newStored(knownVendor, body, uses)
    return 'fault' in created ? throwUnusable(created.fault) : { vendor: knownVendor, stored: created.stored }
  }
  const created = newGenericMembers(name, body, lengths.member)
  return 'fault' in created
    ? throwUnusable(created.fault, created.field)
    : { vendor: describeVendor(name, created.members), stored: created.members }
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
  const changed = withNewKeys(locked.vendor, locked.stored, keys)
  if ('fault' in changed) return throwUnusable(changed.fault, changed.field)
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
  const uses = {
    use_for_tts: use_for_tts === undefined ? before.use_for_tts : use_for_tts,
    use_for_stt: use_for_stt === undefined ? before.use_for_stt : use_for_stt,
  }
  const changed = changedStored(vendor, stored, body, getUses(uses))
  if ('fault' in changed) return throwUnusable(changed.fault, changed.field)
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

/** Returns an error if the credential lacks a required field of its key file. */
export const validateKeyFile = (vendor: Vendor, stored: Stored): string | undefined => {
  const file = findFileField(vendor)
  return file?.members.some((member) => typeof stored[member] !== 'string') ? file.untestable : undefined
}
