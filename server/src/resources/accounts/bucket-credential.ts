import { bucketLengths } from '@patchbay/contract/accounts/record'
import { throwInvalid } from '@patchbay/contract/api/errors'
import type { BucketCredential, BucketCredentialIn, StorageCredential } from '@patchbay/contract/recording-storage'
import { parseServiceKey } from '@patchbay/contract/recordings/storage'
import { maskKey, maskPrivateKey, maskUrlCredentials } from '@patchbay/rules/masking/masking'
import type { Encryption } from '../../lib/encryption.ts'
import { parseJson, readBucketCredential as readStored } from '../shared/bucket-credentials.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'

/**
 * Storage credential for recordings, which is encrypted in the database and masked in responses
 * (docs/reference/platform-api/tenants.md#recording-storage).
 */

const secrets = ['secret_access_key', 'connection_string', 'service_key'] as const
type Secret = (typeof secrets)[number]

const header = '-----BEGIN PRIVATE KEY-----\n'

/** Returns the part of a secret to mask. Of a service key, this is the private key without its header. */
const hiddenPart = (secret: Secret, value: string): string => {
  if (secret !== 'service_key') return value
  const private_key = parseServiceKey(value)?.private_key ?? value
  return private_key.startsWith(header) ? private_key.slice(header.length) : private_key
}

const maskSecret = (secret: Secret, value: string, canChange: boolean): string => {
  const key = secret === 'service_key' ? parseServiceKey(value) : undefined
  if (key === undefined) return maskKey(value)
  const members: Record<string, unknown> = { ...Object(parseJson(value)), private_key: maskPrivateKey(key.private_key) }
  const { private_key_id } = members
  if (!canChange && typeof private_key_id === 'string') members['private_key_id'] = maskKey(private_key_id)
  return JSON.stringify(members)
}

/**
 * Returns a stored credential with masked secrets, or null if there is no valid one. Callers who may not change it also
 * do not see the key identifier and credentials in the endpoint.
 */
export const toResponseCredential = (
  stored: string | null,
  encryption: Encryption,
  canChange: boolean,
): BucketCredential | null => {
  const credential = readStored(stored, encryption)
  if (credential === undefined) return null
  const response: BucketCredential = { ...credential }
  for (const secret of secrets)
    if (response[secret] !== undefined) response[secret] = maskSecret(secret, response[secret], canChange)
  if (response.endpoint !== undefined && !canChange) response.endpoint = maskUrlCredentials(response.endpoint)
  return response
}

/** Returns the secret to store. The mask of the stored secret means no change. Rejects any other masked text. */
const resolveSecret = (secret: Secret, value: string, stored: string | undefined): string => {
  const field = `bucket_credential.${secret}`
  const hidden = stored === undefined ? undefined : hiddenPart(secret, stored)
  if (isUnchangedMask(hiddenPart(secret, value), hidden, field)) return stored ?? value
  if (secret === 'service_key' && parseServiceKey(value) === undefined)
    return throwInvalid(`${field} must be JSON with private_key and client_email`, field)
  return value
}

/** A masked secret can be kept only if the endpoint stays on the same host. Another host requires the secret again. */
const checkHost = (
  credential: { endpoint: string; secret_access_key: string },
  before: BucketCredential | undefined,
): void => {
  if (before?.endpoint === undefined || credential.secret_access_key === before.secret_access_key) return
  const isMasked = credential.secret_access_key === maskKey(before.secret_access_key ?? '')
  if (isMasked && URL.parse(credential.endpoint)?.origin !== URL.parse(before.endpoint)?.origin)
    throwInvalid(
      'bucket_credential.secret_access_key must be sent again, because the endpoint is a new host',
      'bucket_credential.secret_access_key',
    )
}

/** Returns a credential with its masked secrets replaced by the stored ones of the same vendor. */
export const resolveCredential = (
  credential: StorageCredential,
  stored: string | null,
  encryption: Encryption,
): StorageCredential => {
  const current = readStored(stored, encryption)
  const before = current?.vendor === credential.vendor ? current : undefined
  const resolve = (secret: Secret, value: string) => resolveSecret(secret, value, before?.[secret])
  if (credential.vendor === 's3_compatible') checkHost(credential, before)
  switch (credential.vendor) {
    case 'aws_s3':
    case 's3_compatible':
      return { ...credential, secret_access_key: resolve('secret_access_key', credential.secret_access_key) }
    case 'google':
      return { ...credential, service_key: resolve('service_key', credential.service_key) }
    case 'azure':
      return { ...credential, connection_string: resolve('connection_string', credential.connection_string) }
  }
}

/** Returns the value of the column. */
export const encryptBucketCredential = (
  credential: BucketCredentialIn | null,
  stored: string | null,
  encryption: Encryption,
): string | null => {
  if (credential === null || credential.vendor === 'none') return null
  const text = encryption.encrypt(JSON.stringify(resolveCredential(credential, stored, encryption)))
  // The encrypted text is more than twice as long as the JSON.
  if (text.length > bucketLengths.stored)
    return throwInvalid('bucket_credential is too long to be stored: send fewer tags', 'bucket_credential.tags')
  return text
}
