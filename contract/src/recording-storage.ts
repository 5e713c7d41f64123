import { z } from 'zod'
import { bucketLengths as lengths } from './accounts/record.ts'
import { name, text } from './api/values.ts'
import { isRegion, isStorageEndpoint } from './recordings/storage.ts'
import { findTagProblems } from './recordings/storage-tags.ts'

/** Storage credentials for the recordings of an account (docs/reference/platform-api/tenants.md#recording-storage). */

/** Credential in API responses: all secrets are masked. */
export const bucketCredential = z.object({
  vendor: z.string(),
  name: z.string().optional(),
  region: z.string().optional(),
  endpoint: z.string().optional(),
  access_key_id: z.string().optional(),
  secret_access_key: z.string().optional(),
  /** JSON text. */
  service_key: z.string().optional(),
  connection_string: z.string().optional(),
  tags: z.array(z.object({ Key: z.string(), Value: z.string() })).optional(),
})
export type BucketCredential = z.infer<typeof bucketCredential>

const tags = z
  .array(z.strictObject({ Key: name(lengths.tagKey), Value: name(lengths.tagValue) }))
  .max(lengths.tags, { error: `must be at most ${lengths.tags} tags` })
  .optional()

const bucket = name(lengths.name)
const accessKey = { access_key_id: name(lengths.access_key_id), secret_access_key: name(lengths.secret_access_key) }
const region = text(lengths.region).refine((value) => value === '' || isRegion(value), { error: 'must be a region' })

const credentials = [
  z.object({
    vendor: z.literal('aws_s3'),
    name: bucket,
    region: region.min(1, { error: 'must not be empty' }),
    ...accessKey,
    tags,
  }),
  z.object({
    vendor: z.literal('s3_compatible'),
    endpoint: name(lengths.endpoint).refine(isStorageEndpoint, {
      error: 'must be a URL that starts with http:// or https://',
    }),
    name: bucket,
    ...accessKey,
    region: region.optional(),
    tags,
  }),
  z.object({ vendor: z.literal('google'), name: bucket, service_key: name(lengths.service_key), tags }),
  z.object({ vendor: z.literal('azure'), name: bucket, connection_string: name(lengths.connection_string), tags }),
] as const

const none = z.object({ vendor: z.literal('none') })

const getVendorName = (value: unknown): string => {
  const vendor: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'vendor') : undefined
  return typeof vendor === 'string' ? vendor.slice(0, 40) : ''
}

/**
 * A request contains the members of its vendor, or vendor `none` to remove the credential. Other members are dropped.
 */
export const bucketCredentialIn = z
  .discriminatedUnion('vendor', [none, ...credentials], {
    error: (issue) => `unknown storage vendor: ${getVendorName(issue.input)}`,
  })
  .check(({ value, issues }) => {
    if (value.vendor === 'none') return
    for (const { index, member, message } of findTagProblems(value.vendor, value.tags ?? []))
      issues.push({ code: 'custom', input: value.tags, path: ['tags', index, member], message })
  })
export type BucketCredentialIn = z.output<typeof bucketCredentialIn>

/** A credential of a vendor that can store recordings. */
export type StorageCredential = Exclude<BucketCredentialIn, { vendor: 'none' }>

/** Result of writing, reading, and deleting a test object. The platform's own console checks only for `ok`. */
export const bucketTestOutcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ok') }),
  z.object({ status: z.literal('failed'), reason: z.string() }),
])
export type BucketTestOutcome = z.infer<typeof bucketTestOutcome>
