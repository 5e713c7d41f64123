import type { Kysely } from 'kysely'
import { type EncryptionSecret, getSecretsPath, type SecretSource } from '../config/secrets.ts'
import { FatalError } from '../lib/cli.ts'
import { createEncryption, type Encryption } from '../lib/encryption.ts'
import { countValuesByKey, type ExistingTables, type ValueCounts } from './encrypted-values.ts'
import type { Database } from './engine.ts'
import type { Tables } from './tables.ts'

/**
 * Decides which secret encrypts the stored credentials of a database. An encrypted check value in `patchbay_settings`
 * proves it. For a database without one, the encrypted values themselves do.
 */

const setting = 'encryption check'

/** The check value, decrypted. It is longer than two blocks, so that no other key results in the same text. */
const checkText = 'This secret encrypts the stored credentials.'

/** A check value that the operator has discarded. The next start replaces it, and ignores what is encrypted. */
const discarded = 'discarded'

/** Thrown if the known secrets cannot decrypt the stored credentials. The message contains no secret. */
export class EncryptionSecretError extends FatalError {}

/** The secrets of an installation that this process knows. */
export interface KnownSecrets {
  dataDir: string
  /** The first one is what the settings select. */
  encryptionSecrets: readonly EncryptionSecret[]
  /** Whether the settings select AES-256-CTR. */
  legacyCrypto: boolean
}

export interface EncryptionKey extends Pick<EncryptionSecret, 'source' | 'value'> {
  /** Whether it encrypts with AES-256-CTR. */
  legacy: boolean
}

interface CandidateKey extends EncryptionKey {
  encryption: Encryption
}

export interface FoundKey {
  /** Undefined if nothing proves a key, because nothing is encrypted. */
  key: EncryptionKey | undefined
  /** Whether the database contains a check value. */
  isStored: boolean
  /** The number of stored values that the key does not decrypt. 0 if there is a check value. */
  unreadable: number
}

/** Returns all keys in the order in which the settings select them. */
const listKeys = ({ encryptionSecrets, legacyCrypto }: KnownSecrets): CandidateKey[] =>
  [legacyCrypto, !legacyCrypto].flatMap((legacy) =>
    encryptionSecrets.map((secret) => ({ ...secret, legacy, encryption: createEncryption(secret.value, { legacy }) })),
  )

const withoutCipher = ({ source, value, legacy }: CandidateKey): EncryptionKey => ({ source, value, legacy })

const listFormat = (conjunction: 'conjunction' | 'disjunction') => new Intl.ListFormat('en', { type: conjunction })

const nameSource = (source: SecretSource, { dataDir }: KnownSecrets): string =>
  source.startsWith('secrets.json') ? getSecretsPath(dataDir) : source

const nameKey = ({ source, legacy }: EncryptionKey, secrets: KnownSecrets): string =>
  `${nameSource(source, secrets)}${legacy === secrets.legacyCrypto ? '' : ` ${legacy ? 'with' : 'without'} LEGACY_CRYPTO`}`

/** Returns what makes the stored credentials readable again. */
const advise = (source: string | null, secrets: KnownSecrets): string => {
  const file = getSecretsPath(secrets.dataDir)
  switch (source) {
    case 'ENCRYPTION_SECRET':
      return 'set ENCRYPTION_SECRET to its earlier value'
    case 'JWT_SECRET':
      return 'set JWT_SECRET, or ENCRYPTION_SECRET, to the earlier value of JWT_SECRET'
    case 'secrets.json encryption':
      return `restore the earlier ${file}, or set ENCRYPTION_SECRET to the value of "encryption" in it`
    case 'secrets.json jwt':
      return `restore the earlier ${file}, or set ENCRYPTION_SECRET to the value of "jwt" in it`
    default:
      return `set ENCRYPTION_SECRET or JWT_SECRET to its earlier value, or restore the earlier ${file}`
  }
}

/** @param source where the secret was when it was first used, or null if it is unknown */
const explainMissing = (source: string | null, secrets: KnownSecrets): EncryptionSecretError => {
  const existing = secrets.encryptionSecrets.filter(({ isNew }) => !isNew)
  const names = [...new Set(existing.map((secret) => nameSource(secret.source, secrets)))]
  const tried =
    names.length === 0
      ? 'no secret is known'
      : `they were not encrypted with ${listFormat('disjunction').format(names)}`
  return new EncryptionSecretError(
    `The stored credentials of the database cannot be decrypted, because ${tried}: ${advise(source, secrets)}.`,
  )
}

const explainSeveral = (
  keys: readonly CandidateKey[],
  proven: ReadonlyMap<CandidateKey, number>,
  secrets: KnownSecrets,
): EncryptionSecretError => {
  const parts = keys.map((key) => `${proven.get(key)} with ${nameKey(key, secrets)}`)
  return new EncryptionSecretError(
    `The stored credentials of the database were encrypted with several secrets (${listFormat('conjunction').format(parts)}): ` +
      'set ENCRYPTION_SECRET to the one to use, and enter the other credentials again.',
  )
}

/** Returns sentences about the key that encrypts the stored credentials. */
export const describeFoundKey = ({ key, unreadable }: FoundKey, secrets: KnownSecrets): string[] => {
  if (key === undefined) {
    const [selected] = secrets.encryptionSecrets
    const first = 'No stored credential shows with which secret it is encrypted'
    return [selected ? `${first}: the next start uses ${nameSource(selected.source, secrets)}.` : `${first}.`]
  }
  const sentence = `The stored credentials are encrypted with ${nameKey(key, secrets)}.`
  return unreadable === 0 ? [sentence] : [sentence, `${unreadable} stored values cannot be decrypted with it.`]
}

const readCheck = (db: Kysely<Tables>) =>
  db.selectFrom('patchbay_settings').select(['value', 'note']).where('setting', '=', setting).executeTakeFirst()

type StoredCheck = NonNullable<Awaited<ReturnType<typeof readCheck>>>

/** @throws EncryptionSecretError if no known secret fits */
const matchCheck = ({ value, note }: StoredCheck, secrets: KnownSecrets): EncryptionKey => {
  const key = listKeys(secrets).find(({ encryption }) => encryption.decrypt(value) === checkText)
  if (key === undefined) throw explainMissing(note, secrets)
  return withoutCipher(key)
}

/**
 * Returns the key that the values prove. If several are proven, the operator decides by ENCRYPTION_SECRET. If the values
 * are too short to prove one, the first key is used that can have encrypted all of them.
 */
const selectKey = (
  { proven, weak, possible, unreadable }: ValueCounts<CandidateKey>,
  keys: readonly CandidateKey[],
  secrets: KnownSecrets,
): CandidateKey | undefined => {
  const provenKeys = keys.filter((key) => proven.has(key))
  if (provenKeys.length > 1) {
    const chosen = provenKeys.find(({ source }) => source === 'ENCRYPTION_SECRET')
    if (chosen === undefined) throw explainSeveral(provenKeys, proven, secrets)
    return chosen
  }
  if (provenKeys.length === 1) return provenKeys[0]
  const likely = keys.find((key) => weak > 0 && possible.get(key) === weak)
  if (unreadable > 0 || (weak > 0 && likely === undefined)) throw explainMissing(null, secrets)
  return likely
}

/**
 * Returns the key that encrypts the stored credentials of a database. Changes nothing.
 * @param tables the existing tables, with their columns
 * @throws EncryptionSecretError if no known secret decrypts them, or several do and none of them is ENCRYPTION_SECRET
 */
export const findEncryptionKey = async (
  db: Kysely<Tables>,
  tables: ExistingTables,
  secrets: KnownSecrets,
): Promise<FoundKey> => {
  const check = tables.has('patchbay_settings') ? await readCheck(db) : undefined
  if (check?.value === discarded) return { key: undefined, isStored: false, unreadable: 0 }
  if (check !== undefined) return { key: matchCheck(check, secrets), isStored: true, unreadable: 0 }
  const keys = listKeys(secrets)
  const counts = await countValuesByKey(db, tables, keys)
  const key = selectKey(counts, keys, secrets)
  const provenByOthers = [...counts.proven]
    .filter(([other]) => other !== key)
    .reduce((sum, [, count]) => sum + count, 0)
  return { key: key && withoutCipher(key), isStored: false, unreadable: counts.unreadable + provenByOthers }
}

/**
 * Stores a check value for a key, unless another process has stored one. Returns the key of the stored check value.
 * @throws EncryptionSecretError if no known secret fits the check value of the other process
 */
export const storeEncryptionCheck = async (
  { db, engine }: Database,
  key: EncryptionKey,
  secrets: KnownSecrets,
): Promise<EncryptionKey> => {
  const value = createEncryption(key.value, { legacy: key.legacy }).encrypt(checkText)
  await db
    .insertInto('patchbay_settings')
    .values({ setting, value, note: key.source })
    .$if(engine === 'mysql', (insert) => insert.ignore())
    .$if(engine === 'sqlite', (insert) => insert.onConflict((conflict) => conflict.column('setting').doNothing()))
    .execute()
  await db
    .updateTable('patchbay_settings')
    .set({ value, note: key.source })
    .where('setting', '=', setting)
    .where('value', '=', discarded)
    .execute()
  const stored = await readCheck(db)
  if (stored === undefined) throw new Error('the check value of the encryption was not stored')
  return matchCheck(stored, secrets)
}

/** Returns whether the check value of a database was encrypted with the secret that this process uses. */
export const fitsEncryptionCheck = async (db: Kysely<Tables>, encryption: Encryption): Promise<boolean> => {
  const check = await readCheck(db)
  return check !== undefined && encryption.decrypt(check.value) === checkText
}
