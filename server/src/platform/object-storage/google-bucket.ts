import { ApiError, Storage } from '@google-cloud/storage'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { addAbortSignal } from 'node:stream'
import { googleAccount } from '../google-account.ts'
import { type Bucket, type StorageNetwork, unlessAbsent } from './object-storage.ts'
import { tagsAsMetadata } from './tags.ts'

type GoogleCredential = Extract<StorageCredential, { vendor: 'google' }>

const second = 1000

const statusOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)

/** Requests to hosts of Google, sent elsewhere. */
const movedTo =
  (origin: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${origin}${pathname}${search}`, init)
  }

export const openGoogleBucket = (
  credential: GoogleCredential,
  { googleOrigin }: StorageNetwork,
  seconds: number,
): Bucket => {
  const { project_id, client_email, private_key } = googleAccount(credential.service_key)
  const elsewhere =
    googleOrigin === undefined
      ? {}
      : {
          apiEndpoint: googleOrigin,
          useAuthWithCustomEndpoint: true,
          clientOptions: { transporterOptions: { fetchImplementation: movedTo(googleOrigin) } },
        }
  const storage = new Storage({
    ...(project_id === undefined ? {} : { projectId: project_id }),
    credentials: { client_email, private_key },
    timeout: seconds * second,
    retryOptions: { autoRetry: false },
    ...elsewhere,
  })
  const bucket = storage.bucket(credential.name)
  return {
    async upload(key, { path, type, metadata: known }) {
      const metadata = { contentType: type, metadata: { ...known, ...tagsAsMetadata(credential.tags) } }
      await bucket.upload(path, { destination: key, resumable: false, metadata })
    },
    async find(key) {
      const found = await bucket.file(key).getMetadata().catch(unlessAbsent(statusOf))
      if (found === undefined) return undefined
      const [{ size, metadata = {} }] = found
      const texts = Object.entries(metadata).map(([name, value]) => [name, String(value)])
      return { size: Number(size), metadata: Object.fromEntries(texts) }
    },
    readPart: (key, { first, last }, stop) =>
      Promise.resolve(
        addAbortSignal(stop, bucket.file(key).createReadStream({ start: first, end: last, validation: false })),
      ),
    async write(key, content) {
      const metadata = { contentType: 'text/plain', metadata: tagsAsMetadata(credential.tags) }
      await bucket.file(key).save(content, { resumable: false, metadata })
    },
    async read(key) {
      const [content] = await bucket.file(key).download()
      return content
    },
    async remove(key) {
      await bucket.file(key).delete()
    },
  }
}
