import { invalid } from '@patchbay/contract/errors'
import type { BucketCredential, BucketCredentialIn, StorageCredential } from '@patchbay/contract/recording-storage'
import { bucketLengths } from '@patchbay/contract/rules/lengths'
import { maskKey, maskPrivateKey } from '@patchbay/contract/rules/masking'
import { readServiceKey } from '@patchbay/contract/rules/recording-storage'
import { jsonIn, readBucketCredential as readStored } from '../../stores/bucket-credentials.ts'
import { isStoredSecret } from '../../stores/stored-secrets.ts'
import type { Encryption } from '../../encryption.ts'

/** The storage credential of recordings: encrypted in its column, masked on the wire (api/1-identity.md §8.5). */

const secrets = ['secret_access_key', 'connection_string', 'service_key'] as const
type Secret = (typeof secrets)[number]

const header = '-----BEGIN PRIVATE KEY-----\n'

/** What of a secret is to be masked: of a service key the private key, whose header stays readable. */
const hiddenPart = (secret: Secret, value: string): string => {
  if (secret !== 'service_key') return value
  const private_key = readServiceKey(value)?.private_key ?? value
  return private_key.startsWith(header) ? private_key.slice(header.length) : private_key
}

const masked = (secret: Secret, value: string): string => {
  const key = secret === 'service_key' ? readServiceKey(value) : undefined
  if (key === undefined) return maskKey(value)
  return JSON.stringify({ ...Object(jsonIn(value)), private_key: maskPrivateKey(key.private_key) })
}

/** A stored credential as it is shown: every secret masked; null for none and for one that cannot be read. */
export const shownBucketCredential = (stored: string | null, encryption: Encryption): BucketCredential | null => {
  const credential = readStored(stored, encryption)
  if (credential === undefined) return null
  const shown: BucketCredential = { ...credential }
  for (const secret of secrets) if (shown[secret] !== undefined) shown[secret] = masked(secret, shown[secret])
  return shown
}

/** A masked secret that comes back means the stored one; any other masked text is no secret. */
const wholeSecret = (secret: Secret, sent: string, stored: string | undefined): string => {
  const field = `bucket_credential.${secret}`
  const hidden = stored === undefined ? undefined : hiddenPart(secret, stored)
  if (isStoredSecret(hiddenPart(secret, sent), hidden, field)) return stored ?? sent
  if (secret === 'service_key' && readServiceKey(sent) === undefined)
    return invalid(`${field} must be JSON with private_key and client_email`, field)
  return sent
}

/** What is sent, its masked secrets being those that are stored for this vendor. */
export const wholeCredential = (
  sent: StorageCredential,
  stored: string | null,
  encryption: Encryption,
): StorageCredential => {
  const now = readStored(stored, encryption)
  const before = now?.vendor === sent.vendor ? now : undefined
  const whole = (secret: Secret, value: string) => wholeSecret(secret, value, before?.[secret])
  switch (sent.vendor) {
    case 'aws_s3':
    case 's3_compatible':
      return { ...sent, secret_access_key: whole('secret_access_key', sent.secret_access_key) }
    case 'google':
      return { ...sent, service_key: whole('service_key', sent.service_key) }
    case 'azure':
      return { ...sent, connection_string: whole('connection_string', sent.connection_string) }
  }
}

/** What goes into the column. */
export const storedBucketCredential = (
  sent: BucketCredentialIn | null,
  stored: string | null,
  encryption: Encryption,
): string | null => {
  if (sent === null || sent.vendor === 'none') return null
  const text = encryption.encrypt(JSON.stringify(wholeCredential(sent, stored, encryption)))
  // Encrypted it is more than twice as long.
  if (text.length > bucketLengths.stored)
    return invalid('bucket_credential is too long to be stored: send fewer tags', 'bucket_credential.tags')
  return text
}
