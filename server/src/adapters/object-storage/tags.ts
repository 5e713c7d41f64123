import type { BucketCredential } from '@patchbay/contract/recording-storage'

/** The configured tags as the user metadata of an object (api/4-calls-and-hosted.md §2.7). */
export const tagsAsMetadata = (tags: BucketCredential['tags'] = []): Record<string, string> =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]))
