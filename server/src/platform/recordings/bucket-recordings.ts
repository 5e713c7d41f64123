import type { Bucket } from '../object-storage/object-storage.ts'
import type { Recorded, StoragePlace } from './recordings.ts'
import { rm } from 'node:fs/promises'

/** Recordings in the storage of an account, under the keys of the platform (api/4-calls-and-hosted.md §2.6, §2.7). */

/** Metadata travels in headers, which hold printable ASCII. */
const headerText = (value: string): string =>
  value
    .replaceAll(/\p{Cs}/gu, '')
    .replaceAll(/[^ -~]+/gu, encodeURIComponent)
    .slice(0, 256)

export const bucketRecordings = (bucket: Bucket): StoragePlace => {
  const copy = async (key: string, { file, name, metadata }: Recorded, stop: AbortSignal): Promise<void> => {
    const texts = Object.entries(metadata).map(([member, value]) => [member, headerText(value)])
    await bucket.upload(key, { path: file, type: `audio/${name.format}`, metadata: Object.fromEntries(texts) }, stop)
  }
  return {
    copy,
    async find(key) {
      const found = await bucket.find(key)
      if (found === undefined) return undefined
      const { size, metadata } = found
      // The names of metadata are in small letters where they are headers.
      const [, account_sid] = Object.entries(metadata).find(([name]) => name.toLowerCase() === 'accountsid') ?? []
      return {
        size,
        ...(account_sid === undefined ? {} : { account_sid }),
        read: (first, last, gone) => bucket.readPart(key, { first, last }, gone),
        remove: () => bucket.remove(key, AbortSignal.timeout(20_000)),
      }
    },
    async keep(key, recorded, stop) {
      await copy(key, recorded, stop)
      await rm(recorded.file, { force: true })
    },
  }
}
