import { randomBytes } from 'node:crypto'
import { collect, damageChunks, inPieces } from '@patchbay/testkit/crash/encrypted-chunks'
import { beforeAll, describe, expect, test } from 'vitest'
import { ageMagic, decrypt, encrypt } from './age.ts'
import { BackupError, DamagedBackupError } from './backup-error.ts'

const passphrase = 'correct horse battery staple'
const chunkBytes = 2 ** 16
const sealedBytes = chunkBytes + 16

/** Derives a key in a millisecond instead of a second. */
const factor = 8

const encryptAll = (plain: Buffer) => collect(encrypt(inPieces(plain), passphrase, factor))
const decryptAll = (bytes: Buffer, secret = passphrase) => collect(decrypt(inPieces(bytes), secret))

test.each([0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 3 * chunkBytes + 5])(
  '%i bytes are decrypted to what was encrypted',
  async (size) => {
    const plain = randomBytes(size)
    const encrypted = await encryptAll(plain)
    expect(encrypted.subarray(0, ageMagic.length).equals(ageMagic)).toBe(true)
    expect(size > 16 && encrypted.includes(plain.subarray(0, 16))).toBe(false)
    expect((await decryptAll(encrypted)).equals(plain)).toBe(true)
  },
)

test('guessing a passphrase costs as much as OWASP recommends: scrypt with N = 2^17', async () => {
  const encrypted = await collect(encrypt(inPieces(Buffer.from('a backup')), passphrase))
  expect(encrypted.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt [\w+/]{22} 17\n/)
  expect((await decryptAll(encrypted)).toString()).toBe('a backup')
})

test('a passphrase is the same in all forms of Unicode', async () => {
  const encrypted = await collect(encrypt(inPieces(Buffer.from('a')), 'caf\u00e9', factor))
  expect((await decryptAll(encrypted, 'cafe\u0301')).toString()).toBe('a')
})

test('errors of the source are passed on', async () => {
  async function* fail(bytes: Buffer): AsyncGenerator<Buffer> {
    yield* inPieces(bytes)
    throw new BackupError('The storage does not respond.')
  }
  const encrypted = await encryptAll(randomBytes(3 * chunkBytes))
  for (const part of [encrypted.subarray(0, 50), encrypted.subarray(0, 2 * chunkBytes)])
    await expect(collect(decrypt(fail(part), passphrase))).rejects.toThrow('The storage does not respond.')
  await expect(collect(encrypt(fail(encrypted), passphrase, factor))).rejects.toThrow('The storage does not respond.')
})

describe('an encrypted stream', () => {
  const plain = randomBytes(3 * chunkBytes)
  let encrypted: Buffer
  let headerBytes: number
  beforeAll(async () => {
    encrypted = await encryptAll(plain)
    headerBytes = encrypted.length - 3 * sealedBytes
  })

  test('reports a wrong passphrase as such', async () => {
    await expect(decryptAll(encrypted, `${passphrase}!`)).rejects.toThrow('The passphrase is wrong')
  })

  test('rejects a changed byte of the header, the nonce, and the first and last chunk', async () => {
    const positions = [...Array.from({ length: headerBytes + 1 }, (_, position) => position), headerBytes + chunkBytes]
    for (const position of [...positions, headerBytes + sealedBytes, encrypted.length - 1]) {
      const changed = Buffer.from(encrypted)
      changed[position] = (changed[position] ?? 0) ^ 1
      await expect(decryptAll(changed), `position ${position}`).rejects.toThrow(/damaged/)
    }
  })

  test('rejects missing, added, and exchanged chunks', async () => {
    for (const [how, bytes] of Object.entries(damageChunks(encrypted, sealedBytes))) {
      const error = await decryptAll(bytes).catch((reason: unknown) => reason)
      expect([how, error instanceof DamagedBackupError]).toEqual([how, true])
    }
  })

  test('never contains the same bytes for the same content', async () => {
    const again = await encryptAll(plain)
    expect(again.subarray(headerBytes).equals(encrypted.subarray(headerBytes))).toBe(false)
  })
})
