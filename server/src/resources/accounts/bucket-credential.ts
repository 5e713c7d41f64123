import { bucketCredential, type BucketCredentialIn } from '@patchbay/contract/accounts'
import { invalid } from '@patchbay/contract/errors'
import { maskKey } from '@patchbay/contract/rules/masking'
import { z } from 'zod'
import type { Encryption } from '../../encryption.ts'

/** The storage credential of recordings: encrypted in its column, masked on the wire (api/1-identity.md §8.5). */

type BucketCredential = z.infer<typeof bucketCredential>

const secrets = ['secret_access_key', 'connection_string', 'service_key'] as const
type Secret = (typeof secrets)[number]

const serviceKey = z.looseObject({ private_key: z.string(), client_email: z.string() })
const header = '-----BEGIN PRIVATE KEY-----\n'

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Of a service key only the private key is a secret; the header before it stays readable. */
const maskServiceKey = (text: string): string => {
  const { data } = serviceKey.safeParse(parsed(text))
  if (data === undefined) return maskKey(text)
  const { private_key } = data
  const body = private_key.startsWith(header) ? private_key.slice(header.length) : private_key
  return JSON.stringify({ ...data, private_key: `${private_key.startsWith(header) ? header : ''}${maskKey(body)}` })
}

const masked = (secret: Secret, value: string): string =>
  secret === 'service_key' ? maskServiceKey(value) : maskKey(value)

const readStored = (stored: string | null, encryption: Encryption): BucketCredential | undefined =>
  stored === null ? undefined : bucketCredential.safeParse(parsed(encryption.decrypt(stored))).data

/** A stored credential as it is shown: every secret masked; null for none and for one that cannot be read. */
export const shownBucketCredential = (stored: string | null, encryption: Encryption): BucketCredential | null => {
  const credential = readStored(stored, encryption)
  if (credential === undefined) return null
  const shown: BucketCredential = { ...credential }
  for (const secret of secrets) if (shown[secret] !== undefined) shown[secret] = masked(secret, shown[secret])
  return shown
}

const looksMasked = /^.{0,6}X{4,}$/

/** A masked secret that comes back means the stored one; any other masked text is no secret. */
const wholeSecret = (secret: Secret, sent: string, stored: string | undefined): string => {
  if (stored !== undefined && sent === masked(secret, stored)) return stored
  const field = `bucket_credential.${secret}`
  if (looksMasked.test(sent)) return invalid(`${field} is masked: send it whole`, field)
  if (secret === 'service_key' && !serviceKey.safeParse(parsed(sent)).success)
    return invalid(`${field} must be JSON with private_key and client_email`, field)
  return sent
}

/** What goes into the column. */
export const storedBucketCredential = (
  sent: BucketCredentialIn,
  now: string | null,
  encryption: Encryption,
): string | null => {
  if (sent === null || sent.vendor === 'none') return null
  const before = readStored(now, encryption)
  const whole: BucketCredential = { ...sent }
  for (const secret of secrets)
    if (whole[secret] !== undefined)
      whole[secret] = wholeSecret(secret, whole[secret], before?.vendor === sent.vendor ? before[secret] : undefined)
  return encryption.encrypt(JSON.stringify(whole))
}
