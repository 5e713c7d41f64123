import { isJsonObject } from '@patchbay/rules/speech/credential'
import { type Kysely, sql } from 'kysely'
import { type Encryption, isEncryptedText } from '../lib/encryption.ts'
import type { Tables } from './tables.ts'

/** The columns with encrypted values, and how the right key is recognized, because the values are not authenticated. */

interface EncryptedColumn {
  table: string
  /** Primary key, for reading in pages. */
  id: string
  column: string
  /** Returns whether a text is what Patchbay or jambonz would have encrypted, and another key would not result in by chance. */
  isPlausible: (text: string) => boolean
  /** Smallest size of a text that proves a key, for CTR, where texts of any size can be decrypted. */
  minBytes: number
}

const isJsonOfDigits = (text: string): boolean => /^"\d{4}"$/.test(text)

/** Bytes that are not UTF-8 are decrypted as U+FFFD. */
const isPrintable = (text: string): boolean => /^[^\p{Cc}\uFFFD]+$/u.test(text)

const json = { isPlausible: isJsonObject, minBytes: 6 }
const digits = { isPlausible: isJsonOfDigits, minBytes: 6 }
const anyText = { isPlausible: isPrintable, minBytes: 32 }

export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'speech_credentials', id: 'speech_credential_sid', column: 'credential', ...json },
  { table: 'accounts', id: 'account_sid', column: 'bucket_credential', ...json },
  { table: 'applications', id: 'application_sid', column: 'env_vars', ...json },
  { table: 'account_subscriptions', id: 'account_subscription_sid', column: 'last4', ...digits },
  { table: 'clients', id: 'client_sid', column: 'password', ...anyText },
  {
    table: 'patchbay_alert_destinations',
    id: 'alert_destination_sid',
    column: 'webhook_secret',
    ...anyText,
  },
  { table: 'patchbay_review_models', id: 'service_provider_sid', column: 'api_key', ...anyText },
]

/** The columns by table. */
export type ExistingTables = ReadonlyMap<string, ReadonlySet<string>>

const pageRows = 2000

interface Row {
  id: string
  stored: string
}

async function* readColumn(db: Kysely<Tables>, { table, id, column }: EncryptedColumn): AsyncGenerator<Row[]> {
  for (let after = ''; ; ) {
    const { rows } = await sql<Row>`
      SELECT ${sql.ref(id)} AS id, ${sql.ref(column)} AS stored FROM ${sql.table(table)}
      WHERE ${sql.ref(id)} > ${after} AND ${sql.ref(column)} IS NOT NULL ORDER BY ${sql.ref(id)} LIMIT ${sql.lit(pageRows)}
    `.execute(db)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageRows) return
    after = last.id
  }
}

interface CandidateKey {
  encryption: Encryption
  legacy: boolean
}

type Evidence = 'none' | 'weak' | 'proof'

/** Returns how well the decrypted text of a value shows that a key is the right one. */
const judge = ({ encryption, legacy }: CandidateKey, column: EncryptedColumn, stored: string): Evidence => {
  const text = encryption.decrypt(stored)
  if (text === undefined || !column.isPlausible(text)) return 'none'
  // CBC also encrypts the padding, by which most other keys are recognized.
  return !legacy || Buffer.byteLength(text) >= column.minBytes ? 'proof' : 'weak'
}

export interface ValueCounts<Key> {
  /** The number of values that prove a key. Keys without any are absent. */
  proven: Map<Key, number>
  /** Values that prove no key, but can have been encrypted with one: short texts, encrypted with CTR. */
  weak: number
  /** The number of weak values for each key that can have encrypted them. */
  possible: Map<Key, number>
  /** Values that no key can have encrypted. */
  unreadable: number
}

const increment = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const countValue = <Key extends CandidateKey>(
  counts: ValueCounts<Key>,
  keys: readonly Key[],
  column: EncryptedColumn,
  stored: string,
): void => {
  const possible: Key[] = []
  for (const key of keys) {
    const evidence = judge(key, column, stored)
    if (evidence === 'proof') return increment(counts.proven, key)
    if (evidence === 'weak') possible.push(key)
  }
  if (possible.length === 0) counts.unreadable += 1
  else counts.weak += 1
  for (const key of possible) increment(counts.possible, key)
}

/**
 * Counts the encrypted values of a database by the key that decrypts them. Values that are not encrypted, such as those
 * that jambonz stores by mistake, are not counted.
 * @param tables the existing ones, because an adopted database can lack some, and a new one has none
 */
export const countValuesByKey = async <Key extends CandidateKey>(
  db: Kysely<Tables>,
  tables: ExistingTables,
  keys: readonly Key[],
): Promise<ValueCounts<Key>> => {
  const counts: ValueCounts<Key> = { proven: new Map(), weak: 0, possible: new Map(), unreadable: 0 }
  for (const column of encryptedColumns) {
    if (!tables.get(column.table)?.has(column.column)) continue
    for await (const rows of readColumn(db, column))
      for (const { stored } of rows) if (isEncryptedText(stored)) countValue(counts, keys, column, stored)
  }
  return counts
}
