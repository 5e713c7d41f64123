import { randomBytes } from 'node:crypto'
import { encryptFormat1 } from '@patchbay/testkit/crash/encrypt-format-1'
import { collect, damageChunks, inPieces } from '@patchbay/testkit/crash/encrypted-chunks'
import { beforeAll, describe, expect, test } from 'vitest'
import { DamagedBackupError } from './backup-error.ts'
import { chunkBytes, decryptFormat1, magic } from './encryption-1.ts'

const passphrase = 'correct horse battery staple'

/** Returns `damaged` for a DamagedBackupError. */
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'decrypted',
    (error: unknown) => (error instanceof DamagedBackupError ? 'damaged' : String(error)),
  )

/** Derives a key in a millisecond instead of half a second. */
const cost = 2 ** 10

const encryptAll = (plain: Buffer) => collect(encryptFormat1(inPieces(plain), passphrase, cost))
const decryptAll = (bytes: Buffer, secret = passphrase) => collect(decryptFormat1(inPieces(bytes), secret, cost))

test.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 3 * chunkBytes + 5])(
  '%i bytes are decrypted to what was encrypted',
  async (size) => {
    const plain = randomBytes(size)
    const encrypted = await encryptAll(plain)
    expect(encrypted.subarray(0, magic.length).equals(magic)).toBe(true)
    expect(size > 16 && encrypted.includes(plain.subarray(0, 16))).toBe(false)
    expect((await decryptAll(encrypted)).equals(plain)).toBe(true)
  },
)

test('the cost of scrypt is part of the format: N = 2^17', async () => {
  const plain = Buffer.from('a backup')
  const encrypted = await collect(encryptFormat1(inPieces(plain), passphrase, 2 ** 17))
  expect((await collect(decryptFormat1(inPieces(encrypted), passphrase))).equals(plain)).toBe(true)
  await expect(decryptAll(encrypted)).rejects.toThrow('The passphrase is wrong')
})

describe('an encrypted stream', () => {
  const plain = randomBytes(3 * chunkBytes)
  let encrypted: Buffer
  let headerBytes: number
  const sealedBytes = chunkBytes + 16
  beforeAll(async () => {
    encrypted = await encryptAll(plain)
    headerBytes = encrypted.length - 3 * sealedBytes
  })

  test('reports a wrong passphrase as such', async () => {
    await expect(decryptAll(encrypted, `${passphrase}!`)).rejects.toThrow('The passphrase is wrong')
  })

  test('rejects a changed byte at every sampled position', async () => {
    const positions = [28, 43, 44, 59, 60, headerBytes + chunkBytes, headerBytes + sealedBytes, encrypted.length - 1]
    for (const position of positions) {
      const changed = Buffer.from(encrypted)
      changed[position] = (changed[position] ?? 0) ^ 1
      await expect(decryptAll(changed), `position ${position}`).rejects.toThrow(/damaged/)
    }
  })

  test('rejects missing, added, and exchanged chunks', async () => {
    for (const [how, bytes] of Object.entries(damageChunks(encrypted, sealedBytes)))
      expect([how, await outcome(decryptAll(bytes))]).toEqual([how, 'damaged'])
  })
})
