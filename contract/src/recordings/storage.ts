/** Where recordings are stored, and what each vendor wants to know (spec 0 §5, §9; api/1-identity.md §8.5). */

export const recordFormats = ['mp3', 'wav'] as const
export type RecordFormat = (typeof recordFormats)[number]
export const defaultRecordFormat: RecordFormat = 'mp3'

export const storageVendors = ['aws_s3', 's3_compatible', 'azure', 'google'] as const
export type StorageVendor = (typeof storageVendors)[number]

/** What may not be empty. The name is that of the bucket, of Azure that of the container. */
export const requiredOfStorage = {
  aws_s3: ['name', 'region', 'access_key_id', 'secret_access_key'],
  s3_compatible: ['endpoint', 'name', 'access_key_id', 'secret_access_key'],
  azure: ['name', 'connection_string'],
  google: ['name', 'service_key'],
} as const satisfies Record<StorageVendor, readonly string[]>
export type StorageField = (typeof requiredOfStorage)[StorageVendor][number]

export const defaultRegion = 'us-east-1'

/** An absolute http(s) address. */
export const isStorageEndpoint = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)

/** The part of a host name, which it becomes. */
export const isRegion = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(text)

/** What is read of the key of a Google service account; it has more members. */
export interface ServiceKey {
  private_key: string
  client_email: string
  project_id?: string
}

/** Undefined for what is no JSON with `private_key` and `client_email`. */
export const readServiceKey = (text: string): ServiceKey | undefined => {
  try {
    const { private_key, client_email, project_id } = (JSON.parse(text) ?? {}) as Record<string, unknown>
    if (typeof private_key !== 'string' || typeof client_email !== 'string') return undefined
    return { private_key, client_email, ...(typeof project_id === 'string' ? { project_id } : {}) }
  } catch {
    return undefined
  }
}
