import { type Actor, can, type Owner } from '@patchbay/contract/access'
import { throwApiError } from '@patchbay/contract/errors'
import { speechCredentialLengths as lengths } from '@patchbay/contract/shared/column-lengths'
import { namedVendor, findVendor } from '@patchbay/contract/speech/catalogue'
import {
  changedStored,
  findFileField,
  newStored,
  toResponseMembers,
  type Uses,
} from '@patchbay/contract/speech/credential'
import { isOn, type Stored, type Vendor } from '@patchbay/contract/speech/descriptor'
import {
  type NewSpeechCredential,
  onlyUses,
  speechCredential,
  type SpeechCredential,
  type SpeechCredentialChange,
} from '@patchbay/contract/speech-credentials'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Configuration } from '../../config/configuration.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { ownedSpeechCredentials, toOwner } from '../../auth/owner-lookup.ts'

/** All SQL of speech credentials (api/3-speech.md §1.3 to §1.10). */

const columns = speechCredential.keyof().options.map((column) => `speech_credentials.${column}` as const)

const rowsOf = (db: Kysely<Tables>) =>
  db
    .selectFrom('speech_credentials')
    .leftJoin('accounts', 'accounts.account_sid', 'speech_credentials.account_sid')
    .select(columns)
    .select(['speech_credentials.credential', 'accounts.service_provider_sid as provider_of_account'])

export type CredentialRow = Awaited<ReturnType<ReturnType<typeof rowsOf>['executeTakeFirstOrThrow']>>

const toScopedOwner = ({ account_sid, service_provider_sid, provider_of_account }: CredentialRow): Owner =>
  toOwner({ account_sid, own_provider: service_provider_sid, provider_of_account })

export const getUses = (row: { use_for_tts?: unknown; use_for_stt?: unknown }): Uses => ({
  tts: isOn(row.use_for_tts),
  stt: isOn(row.use_for_stt),
})

/** Undefined for what cannot be read with this installation's secret. */
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
 * Returns the credential with which a vendor is called. Only here, and never from what is stored, an AWS service gets
 * the consent to use the server's own identity.
 */
export const credentialForVendor = (
  row: Pick<CredentialRow, 'vendor' | 'account_sid' | 'service_provider_sid'>,
  stored: Stored,
  { awsIdentityForSpeech }: Pick<Configuration, 'awsIdentityForSpeech'>,
): Stored =>
  row.vendor === 'aws'
    ? { ...stored, aws_external_id: awsIdentityForSpeech ? (row.account_sid ?? row.service_provider_sid) : null }
    : stored

/** Returns the vendor of a row, and the credential with which it is called. */
export const readable = (
  row: CredentialRow,
  encryption: Encryption,
  configuration: Pick<Configuration, 'awsIdentityForSpeech'>,
): { vendor: Vendor; stored: Stored } => {
  const vendor = findVendor(row.vendor)
  const stored = decryptCredential(row, encryption)
  return vendor === undefined || stored === undefined
    ? throwApiError('unusable_speech_credential', { msg: 'the stored credentials cannot be read' })
    : { vendor, stored: credentialForVendor(row, stored, configuration) }
}

/** One that cannot be read, or is of a vendor that nobody knows, comes without the vendor's members. */
const shown = (row: CredentialRow, actor: Actor, encryption: Encryption): SpeechCredential => {
  const { credential: _credential, provider_of_account: _provider, ...columnsOf } = row
  const vendor = findVendor(row.vendor)
  const stored = decryptCredential(row, encryption)
  const members = vendor && stored ? toResponseMembers(vendor, stored, can(actor, 'write', toScopedOwner(row))) : {}
  return { ...members, ...columnsOf }
}

type Where = ExpressionBuilder<Tables, 'speech_credentials' | 'accounts'>

/** What a provider has for all of its accounts. */
const isOfAll = (where: Where, provider: string) =>
  where.and([
    where('speech_credentials.account_sid', 'is', null),
    where('speech_credentials.service_provider_sid', '=', provider),
  ])

/** Of the account itself, and what its provider has for all. Without one of the two the text is empty. */
const usable = (where: Where, account: string, provider: string) =>
  where.or([where('speech_credentials.account_sid', '=', account), isOfAll(where, provider)])

/** Whose credentials are looked for. */
export interface Whose {
  account_sid: string | null
  service_provider_sid: string | null
}

export const createSpeechCredentialStore = ({ db, reader }: Database, encryption: Encryption) => {
  const list = prepared(reader, (account: string, provider: string) =>
    rowsOf(reader)
      .where((where) => usable(where, account, provider))
      .orderBy('speech_credentials.vendor')
      .orderBy('speech_credentials.label')
      .orderBy('speech_credentials.speech_credential_sid'),
  )
  const one = prepared(db, (sid: string) => rowsOf(db).where('speech_credentials.speech_credential_sid', '=', sid))
  const labelled = prepared(db, (vendor: string, label: string, account: string, provider: string) =>
    rowsOf(db)
      .where('speech_credentials.vendor', '=', vendor)
      .where(({ fn, val }) => fn.coalesce('speech_credentials.label', val('')), '=', label)
      .where((where) => usable(where, account, provider))
      .orderBy('speech_credentials.created_at'),
  )
  return {
    list: async (actor: Actor, { account_sid, service_provider_sid }: Whose): Promise<SpeechCredential[]> =>
      (await list(account_sid ?? '', service_provider_sid ?? '')).map((row) => shown(row, actor, encryption)),

    read: async (sid: string): Promise<CredentialRow | undefined> => (await one(sid))[0],

    /** One that an account may use. */
    usable: async (sid: string, { account_sid, service_provider_sid }: Whose): Promise<CredentialRow | undefined> => {
      const [row] = await one(sid)
      const owner = row && toScopedOwner(row)
      const isUsable =
        owner?.account_sid === null
          ? owner.service_provider_sid !== null && owner.service_provider_sid === service_provider_sid
          : owner?.account_sid === account_sid
      return isUsable ? row : undefined
    },

    shown: (row: CredentialRow, actor: Actor): SpeechCredential => shown(row, actor, encryption),

    /** The one that speaks for this vendor and label: an account's own before its provider's. */
    find: async (vendor: string, label: string, { account_sid, service_provider_sid }: Whose) => {
      const rows = await labelled(vendor, label, account_sid ?? '', service_provider_sid ?? '')
      return rows.find((row) => row.account_sid !== null) ?? rows[0]
    },
  }
}

const unusable = (msg: string, field?: string): never =>
  throwApiError('unusable_speech_credential', { msg, ...(field ? { field } : {}) })

const encrypted = (stored: Stored, encryption: Encryption): string => {
  const text = encryption.encrypt(JSON.stringify(stored))
  // Encrypted it is more than twice as long.
  return text.length > lengths.stored ? unusable('the credentials are too long to be stored') : text
}

/** Only within what the owner sees: what other accounts call theirs concerns nobody else. */
const checkLabel = async (
  { trx, engine }: WriteTransaction,
  vendor: string,
  label: string,
  owner: Owner,
): Promise<void> => {
  // One at a time of each provider: no index keeps two from taking the same.
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
    .where((where) => usable(where, owner.account_sid ?? '', owner.service_provider_sid ?? ''))
    .limit(1)
    .executeTakeFirst()
  if (taken)
    throwApiError('label_taken', {
      msg: `Label ${label} is already in use for another speech credential`,
      field: 'label',
    })
}

const vendorFor = (name: string): Vendor => {
  const vendor = findVendor(name)
  if (vendor === undefined || name === namedVendor('')) return unusable(`invalid or missing vendor: ${name}`, 'vendor')
  return vendor
}

/** What the trail is told: as it is shown, and without what may not be. */
const told = (row: object, vendor: Vendor, stored: Stored): object => ({
  ...row,
  ...toResponseMembers(vendor, stored, false),
})

export const createSpeechCredential = async (
  write: WriteTransaction,
  sent: NewSpeechCredential,
  owner: Owner,
  encryption: Encryption,
): Promise<string> => {
  const {
    vendor: name,
    label: given,
    use_for_tts,
    use_for_stt,
    account_sid: _a,
    service_provider_sid: _p,
    ...body
  } = sent
  const vendor = vendorFor(name)
  const label = given || null
  const made = newStored(vendor, body, getUses(sent))
  if ('fault' in made) return unusable(made.fault)
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
  const credential = encrypted(made.stored, encryption)
  await write.trx
    .insertInto('speech_credentials')
    .values({ ...row, credential })
    .execute()
  const after = told(row, vendor, made.stored)
  write.record({ action: 'create', kind: 'speech_credential', sid, name: name, before: null, after })
  return sid
}

/** One change of a credential at a time; who has lost it since the request was let in changes nothing. */
export const lockSpeechCredential = async ({ trx, engine }: WriteTransaction, actor: Actor, sid: string) => {
  const rows = trx.selectFrom('speech_credentials').selectAll().where('speech_credential_sid', '=', sid)
  const row = (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
  const owner = await ownedSpeechCredentials(trx)
    .where('speech_credentials.speech_credential_sid', '=', sid)
    .executeTakeFirstOrThrow()
  return can(actor, 'write', toOwner(owner)) ? row : throwApiError('insufficient_privileges')
}

export const changeSpeechCredential = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  { use_for_tts, use_for_stt, ...body }: SpeechCredentialChange,
  encryption: Encryption,
): Promise<void> => {
  if (use_for_tts === undefined && use_for_stt === undefined) unusable(onlyUses)
  const { credential, ...before } = await lockSpeechCredential(write, actor, sid)
  const vendor = vendorFor(before.vendor)
  const stored = decryptCredential({ credential }, encryption)
  if (stored === undefined)
    return unusable('the stored credentials cannot be read with the secret of this installation')
  const uses = {
    use_for_tts: use_for_tts === undefined ? before.use_for_tts : use_for_tts,
    use_for_stt: use_for_stt === undefined ? before.use_for_stt : use_for_stt,
  }
  const changed = changedStored(vendor, stored, body, getUses(uses))
  if ('fault' in changed) return unusable(changed.fault, changed.field)
  await write.trx
    .updateTable('speech_credentials')
    .set({ ...uses, credential: encrypted(changed.stored, encryption) })
    .where('speech_credential_sid', '=', sid)
    .execute()
  write.record({
    action: 'update',
    kind: 'speech_credential',
    sid,
    name: before.vendor,
    before: told(before, vendor, stored),
    after: told({ ...before, ...uses }, vendor, changed.stored),
  })
}

export const deleteSpeechCredential = async (write: WriteTransaction, actor: Actor, sid: string): Promise<void> => {
  const { credential: _credential, ...before } = await lockSpeechCredential(write, actor, sid)
  await write.trx.deleteFrom('speech_credentials').where('speech_credential_sid', '=', sid).execute()
  write.record({ action: 'delete', kind: 'speech_credential', sid, name: before.vendor, before, after: null })
}

/** Halves that were not tested keep what they were. */
export const saveTest = async (
  { db }: Database,
  sid: string,
  tested: { last_tested: string; tts_tested_ok?: 0 | 1; stt_tested_ok?: 0 | 1 },
): Promise<void> => {
  await db.updateTable('speech_credentials').set(tested).where('speech_credential_sid', '=', sid).execute()
}

/** The key of a file that lacks what it must have. */
export const validateKeyFile = (vendor: Vendor, stored: Stored): string | undefined => {
  const file = findFileField(vendor)
  return file?.members.some((member) => typeof stored[member] !== 'string') ? file.untestable : undefined
}
