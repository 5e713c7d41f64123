import { bucketCredential } from '@patchbay/contract/accounts'
import { maskKey } from '@patchbay/contract/rules/masking'
import type { z } from 'zod'
import type { Encryption } from '../../encryption.ts'

type BucketCredential = z.infer<typeof bucketCredential>

const secrets = ['secret_access_key', 'connection_string', 'service_key'] as const

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A stored credential as it is shown: every secret masked; null for none and for one that cannot be read. */
export const shownBucketCredential = (stored: string | null, encryption: Encryption): BucketCredential | null => {
  if (stored === null) return null
  const { data } = bucketCredential.safeParse(parsed(encryption.decrypt(stored)))
  if (data === undefined) return null
  const masked: BucketCredential = { ...data }
  for (const secret of secrets) if (masked[secret] !== undefined) masked[secret] = maskKey(masked[secret])
  return masked
}
