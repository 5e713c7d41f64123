import {
  type BucketCredential,
  bucketCredential,
  bucketCredentialIn,
  type StorageCredential,
} from '@patchbay/contract/recording-storage'
import { defaultRecordFormat, defaultRegion, type RecordFormat } from '@patchbay/contract/recordings/storage'
import type { Database } from '../../database/engine.ts'
import type { Encryption } from '../../lib/encryption.ts'

/** Where accounts want their recordings, and as what: the credential is encrypted in its column. */

/** What a text of JSON says; undefined for any other. */
export const jsonIn = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined for none and for one that cannot be read. */
export const readBucketCredential = (stored: string | null, encryption: Encryption): BucketCredential | undefined =>
  stored === null ? undefined : bucketCredential.safeParse(jsonIn(encryption.decrypt(stored))).data

/** The platform's own may lack the region of AWS S3. */
const usable = (credential: BucketCredential): StorageCredential => {
  const { vendor, region } = credential
  const whole = bucketCredentialIn.parse(
    vendor === 'aws_s3' ? { ...credential, region: region || defaultRegion } : credential,
  )
  if (whole.vendor === 'none') throw new Error('a storage of no vendor is no storage')
  return whole
}

export interface RecordingAccounts {
  /** how an account wants recordings; undefined for one that does not exist */
  format(account_sid: string): Promise<RecordFormat | undefined>
  /** Returns whether the account has its own storage, and undefined if it does not exist. */
  usesStorage(account_sid: string): Promise<boolean | undefined>
  /** its own storage; throws where what is stored cannot be used */
  storage(account_sid: string): Promise<StorageCredential | undefined>
}

export const createRecordingAccounts = ({ db }: Database, encryption: Encryption): RecordingAccounts => {
  const accountOf = (account_sid: string) =>
    db
      .selectFrom('accounts')
      .select(['record_format', 'bucket_credential'])
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
  return {
    async format(account_sid) {
      const account = await accountOf(account_sid)
      return account && (account.record_format === 'wav' ? 'wav' : defaultRecordFormat)
    },
    async usesStorage(account_sid) {
      const account = await accountOf(account_sid)
      return account && account.bucket_credential !== null
    },
    async storage(account_sid) {
      const stored = (await accountOf(account_sid))?.bucket_credential
      if (stored === null || stored === undefined) return undefined
      const credential = readBucketCredential(stored, encryption)
      if (credential === undefined) throw new Error('the credential of the storage cannot be read')
      return usable(credential)
    },
  }
}
