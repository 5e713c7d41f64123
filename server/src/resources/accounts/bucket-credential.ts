import { throwInvalid } from '@patchbay/contract/errors'
import type { BucketCredential, BucketCredentialIn, StorageCredential } from '@patchbay/contract/recording-storage'
import { bucketLengths } from '@patchbay/contract/shared/column-lengths'
import { maskKey, maskPrivateKey, maskUrlCredentials } from '@patchbay/contract/shared/masking'
import { parseServiceKey } from '@patchbay/contract/recordings/storage'
import { parseJson, readBucketCredential as readStored } from '../shared/bucket-credentials.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'
import type { Encryption } from '../../lib/encryption.ts'

/** The storage credential of recordings: encrypted in its column, masked on the wire (api/1-identity.md §8.5). */

const secrets = ['secret_access_key', 'connection_string', 'service_key'] as const
type Secret = (typeof secrets)[number]

const header = '-----BEGIN PRIVATE KEY-----\n'

/** What of a secret is to be masked: of a service key the private key, whose header stays readable. */
const hiddenPart = (secret: Secret, value: string): string => {
  if (secret !== 'service_key') return value
  const private_key = parseServiceKey(value)?.private_key ?? value
  return private_key.startsWith(header) ? private_key.slice(header.length) : private_key
}

const masked = (secret: Secret, value: string, mayChange: boolean): string => {
  const key = secret === 'service_key' ? parseServiceKey(value) : undefined
  if (key === undefined) return maskKey(value)
  const members: Record<string, unknown> = { ...Object(parseJson(value)), private_key: maskPrivateKey(key.private_key) }
  const { private_key_id } = members
  if (!mayChange && typeof private_key_id === 'string') members['private_key_id'] = maskKey(private_key_id)
  return JSON.stringify(members)
}

/**
 * Returns a stored credential with every secret masked, or null if there is none or it can't be read. Those who may not
 * change it see no key identifier and no credentials in the endpoint, either.
 */
export const toResponseCredential = (
  stored: string | null,
  encryption: Encryption,
  mayChange: boolean,
): BucketCredential | null => {
  const credential = readStored(stored, encryption)
  if (credential === undefined) return null
  const shown: BucketCredential = { ...credential }
  for (const secret of secrets)
    if (shown[secret] !== undefined) shown[secret] = masked(secret, shown[secret], mayChange)
  if (shown.endpoint !== undefined && !mayChange) shown.endpoint = maskUrlCredentials(shown.endpoint)
  return shown
}

/** A masked secret that comes back means the stored one; any other masked text is no secret. */
const wholeSecret = (secret: Secret, sent: string, stored: string | undefined): string => {
  const field = `bucket_credential.${secret}`
  const hidden = stored === undefined ? undefined : hiddenPart(secret, stored)
  if (isUnchangedMask(hiddenPart(secret, sent), hidden, field)) return stored ?? sent
  if (secret === 'service_key' && parseServiceKey(sent) === undefined)
    return throwInvalid(`${field} must be JSON with private_key and client_email`, field)
  return sent
}

/** A stored secret is used for the host that it was entered for: another host requires it again. */
const checkHost = (
  sent: { endpoint: string; secret_access_key: string },
  before: BucketCredential | undefined,
): void => {
  if (before?.endpoint === undefined || sent.secret_access_key === before.secret_access_key) return
  const isMasked = sent.secret_access_key === maskKey(before.secret_access_key ?? '')
  if (isMasked && URL.parse(sent.endpoint)?.origin !== URL.parse(before.endpoint)?.origin)
    throwInvalid(
      'bucket_credential.secret_access_key must be sent again, because the endpoint is a new host',
      'bucket_credential.secret_access_key',
    )
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
  if (sent.vendor === 's3_compatible') checkHost(sent, before)
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
    return throwInvalid('bucket_credential is too long to be stored: send fewer tags', 'bucket_credential.tags')
  return text
}
