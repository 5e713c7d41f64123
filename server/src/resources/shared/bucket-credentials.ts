import {
  type BucketCredential,
  bucketCredential,
  bucketCredentialIn,
  type StorageCredential,
} from '@patchbay/contract/recording-storage'
import { defaultRecordFormat, defaultRegion, type RecordFormat } from '@patchbay/contract/recordings/storage'
import type { Database } from '../../database/engine.ts'
import type { Encryption } from '../../lib/encryption.ts'

/** Recording settings of accounts: format, and the encrypted storage credential. */

/** Parses JSON. Returns undefined if the text is invalid. */
export const parseJson = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns undefined if there is no credential or it is invalid. */
export const readBucketCredential = (stored: string | null, encryption: Encryption): BucketCredential | undefined =>
  stored === null ? undefined : bucketCredential.safeParse(parseJson(encryption.decrypt(stored))).data

/** Adds the default region, which credentials from jambonz may lack for AWS S3. */
const toStorageCredential = (credential: BucketCredential): StorageCredential => {
  const { vendor, region } = credential
  const completed = bucketCredentialIn.parse(
    vendor === 'aws_s3' ? { ...credential, region: region || defaultRegion } : credential,
  )
  if (completed.vendor === 'none') throw new Error('a storage needs a vendor')
  return completed
}

export interface RecordingAccounts {
  /** Returns the recording format of an account, or undefined if the account does not exist. */
  format(account_sid: string): Promise<RecordFormat | undefined>
  /** Returns whether the account has its own storage, or undefined if the account does not exist. */
  usesStorage(account_sid: string): Promise<boolean | undefined>
  /**
   * Returns the storage of an account, or undefined if no storage is configured. Throws if the stored credential is
   * invalid.
   */
  storage(account_sid: string): Promise<StorageCredential | undefined>
}

export const createRecordingAccounts = ({ db }: Database, encryption: Encryption): RecordingAccounts => {
  const readAccount = (account_sid: string) =>
    db
      .selectFrom('accounts')
      .select(['record_format', 'bucket_credential'])
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
  return {
    async format(account_sid) {
      const account = await readAccount(account_sid)
      return account && (account.record_format === 'wav' ? 'wav' : defaultRecordFormat)
    },
    async usesStorage(account_sid) {
      const account = await readAccount(account_sid)
      return account && account.bucket_credential !== null
    },
    async storage(account_sid) {
      const stored = (await readAccount(account_sid))?.bucket_credential
      if (stored === null || stored === undefined) return undefined
      const credential = readBucketCredential(stored, encryption)
      if (credential === undefined) throw new Error('the credential of the storage cannot be read')
      return toStorageCredential(credential)
    },
  }
}
