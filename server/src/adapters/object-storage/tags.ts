import type { BucketCredential } from '@patchbay/contract/recording-storage'

/** The configured tags as the user metadata of an object (docs/reference/platform-api/recordings.md#object-storage). */
export const tagsAsMetadata = (tags: BucketCredential['tags'] = []): Record<string, string> =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]))
