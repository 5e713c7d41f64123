import { setTimeout as delay } from 'node:timers/promises'
import type { Bucket } from '../adapters/object-storage/bucket.ts'
import { createObjectStorage } from '../adapters/object-storage/object-storage.ts'
import { describeNetworkError } from '../adapters/outbound-http/error-messages.ts'
import type { VendorAddresses } from '../config/option-types.ts'
import type { BackupTarget } from '../config/settings/backup-target.ts'
import { FatalError } from '../lib/cli.ts'
import { BackupError, DamagedBackupError } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'

/** Longer than the upload of a part takes over a slow line. */
const requestSeconds = 600

/** Bytes per download. */
const partBytes = 64 * 2 ** 20

/** A download that fails continues where it ended. Failures without progress between them end it. */
const maxFailures = 3
const retryMs = 1000

/** The operator chooses the storage, which can be in a private network. */
const allNetworks = ['0.0.0.0/0', '::/0']

const never = new AbortController().signal

const withStorageErrors = async <T>(what: string, name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FatalError) throw error
    const reason = describeNetworkError(error, 'storage') ?? (error instanceof Error ? error.message : String(error))
    throw new BackupError(`${what}: ${name}: ${reason.replace(/\.$/, '')}.`, { cause: error })
  }
}

async function* readParts(bucket: Bucket, key: string, size: number): AsyncGenerator<Buffer> {
  let failures = 0
  for (let position = 0; position < size; ) {
    const start = position
    try {
      const last = Math.min(position + partBytes, size) - 1
      for await (const chunk of await bucket.readPart(key, { first: position, last }, never)) {
        position += chunk.length
        yield Buffer.from(chunk)
      }
      if (position <= last) throw new DamagedBackupError('the storage sent fewer bytes than the object has')
    } catch (error) {
      failures = position > start ? 1 : failures + 1
      if (failures === maxFailures) throw error
      await delay(failures * retryMs)
    }
  }
}

/** Opens a backup in an object storage. */
export const openStoredObject = async (
  { name, key, credential }: Extract<BackupTarget, { is: 'object' }>,
  vendorAddresses: VendorAddresses,
): Promise<BackupFile> => {
  const storage = createObjectStorage({ privateNetworks: allNetworks, vendorAddresses })
  const bucket = await withStorageErrors('The storage cannot be opened', name, () =>
    storage.open(credential, requestSeconds),
  )
  const what = 'The backup cannot be read'
  const find = () => withStorageErrors(what, name, () => bucket.find(key, never))
  return {
    name,
    exists: async () => (await find()) !== undefined,
    async *read() {
      const object = await find()
      if (object === undefined) throw new BackupError(`${what}: ${name}: it does not exist.`)
      const parts = readParts(bucket, key, object.size)
      try {
        for (;;) {
          const next = await withStorageErrors(what, name, () => parts.next())
          if (next.done) return
          yield next.value
        }
      } finally {
        await parts.return(undefined)
      }
    },
    write: (content) =>
      withStorageErrors('The backup cannot be written', name, async () => {
        let bytes = 0
        const count = async function* () {
          for await (const piece of content) {
            bytes += piece.length
            yield piece
          }
        }
        await bucket.uploadStream(key, count(), never)
        return bytes
      }),
    remove: () =>
      withStorageErrors('The backup cannot be deleted', name, async () => {
        if ((await bucket.find(key, never)) !== undefined) await bucket.remove(key, never)
      }),
  }
}
