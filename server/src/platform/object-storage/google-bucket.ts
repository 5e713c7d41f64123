import { Storage } from '@google-cloud/storage'
import type { StorageCredential } from '@patchbay/contract/recording-storage'
import { readServiceKey } from '@patchbay/contract/rules/recording-storage'
import { createPrivateKey } from 'node:crypto'
import type { Bucket, StorageNetwork } from './object-storage.ts'
import { tagsAsMetadata } from './tags.ts'

type GoogleCredential = Extract<StorageCredential, { vendor: 'google' }>

const seconds = 1000

/**
 * Of the service key only who it is and the key itself: further members name hosts and files
 * (`token_uri`, `universe_domain`), and a tenant could send the server anywhere with them.
 */
const credentialsOf = ({ service_key }: GoogleCredential) => {
  const key = readServiceKey(service_key)
  if (key === undefined) throw new Error('The service key is not JSON with private_key and client_email')
  try {
    createPrivateKey(key.private_key)
  } catch {
    throw new Error('The private key of the service key cannot be read')
  }
  return key
}

/** Requests to hosts of Google, sent elsewhere. */
const movedTo =
  (origin: string): typeof fetch =>
  (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${origin}${pathname}${search}`, init)
  }

export const openGoogleBucket = (credential: GoogleCredential, { googleOrigin }: StorageNetwork): Bucket => {
  const { project_id, client_email, private_key } = credentialsOf(credential)
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
