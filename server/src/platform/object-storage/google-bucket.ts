import { Storage } from '@google-cloud/storage'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { googleAccount } from '../google-account.ts'
import type { Bucket, StorageNetwork } from './object-storage.ts'
import { tagsAsMetadata } from './tags.ts'

type GoogleCredential = Extract<StorageCredential, { vendor: 'google' }>

const seconds = 1000

/** Requests to hosts of Google, sent elsewhere. */
const movedTo =
  (origin: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${origin}${pathname}${search}`, init)
  }

export const openGoogleBucket = (credential: GoogleCredential, { googleOrigin }: StorageNetwork): Bucket => {
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
    timeout: 10 * seconds,
    retryOptions: { autoRetry: false },
    ...elsewhere,
  })
  const bucket = storage.bucket(credential.name)
  return {
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
