/** Storage vendors for recordings and their settings (docs/reference/platform-api/tenants.md#recording-storage). */

export const recordFormats = ['mp3', 'wav'] as const
export type RecordFormat = (typeof recordFormats)[number]
export const defaultRecordFormat: RecordFormat = 'mp3'

export const storageVendors = ['aws_s3', 's3_compatible', 'azure', 'google'] as const
export type StorageVendor = (typeof storageVendors)[number]

/** Members that must not be empty. `name` is the bucket, or the container at Azure. */
export const requiredStorageFields = {
  aws_s3: ['name', 'region', 'access_key_id', 'secret_access_key'],
  s3_compatible: ['endpoint', 'name', 'access_key_id', 'secret_access_key'],
  azure: ['name', 'connection_string'],
  google: ['name', 'service_key'],
} as const satisfies Record<StorageVendor, readonly string[]>
export type StorageField = (typeof requiredStorageFields)[StorageVendor][number]

export const defaultRegion = 'us-east-1'

/** Returns whether the text is an absolute http(s) URL. */
export const isStorageEndpoint = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)

/** Returns whether the text is valid as a part of the host name in which the region is used. */
export const isRegion = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(text)

/** Members of a Google service account key that are used. The key has more. */
export interface ServiceKey {
  private_key: string
  client_email: string
  project_id?: string
}

/** Parses a service account key. Returns undefined if the text is not JSON with `private_key` and `client_email`. */
export const parseServiceKey = (text: string): ServiceKey | undefined => {
  try {
    const { private_key, client_email, project_id } = (JSON.parse(text) ?? {}) as Record<string, unknown>
    if (typeof private_key !== 'string' || typeof client_email !== 'string') return undefined
    return { private_key, client_email, ...(typeof project_id === 'string' ? { project_id } : {}) }
  } catch {
    return undefined
  }
}
