import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { FatalError } from '../lib/cli.ts'
import { moveToNewName, syncToDisk, writeDurably } from '../lib/durable-files.ts'
import { getErrorCode } from '../lib/error-code.ts'
import { makeDataFolder, withDataDirErrors } from './data-directory.ts'
import { InvalidConfigurationError } from './invalid-configuration.ts'

/**
 * The secrets of an installation: those of the settings, and the generated ones in `secrets.json` of the data folder.
 * Which of them encrypts the stored credentials is proven by the database (database/encryption-check.ts).
 */

/** A setting, or a member of `secrets.json`. */
export type SecretSource = 'ENCRYPTION_SECRET' | 'JWT_SECRET' | 'secrets.json encryption' | 'secrets.json jwt'

/** A secret with which the stored credentials can be encrypted. */
export interface EncryptionSecret {
  source: SecretSource
  value: string
  /** True if nothing can be encrypted with it yet. */
  isNew: boolean
}

export interface Secrets {
  /** Signs sessions. */
  jwt: string
  /** All known secrets. The first one is what the settings select for a database without encrypted values. */
  encryption: readonly [EncryptionSecret, ...EncryptionSecret[]]
  /** Text of a `secrets.json` that does not exist yet, and has to be stored before its secrets are used. */
  newFile: string | null
}

interface SecretSettings {
  JWT_SECRET?: string | undefined
  ENCRYPTION_SECRET?: string | undefined
  DATABASE_URL?: string | undefined
}

export const minSecretLength = 16

/** Returns whether a secret is short enough to be guessed. */
export const isShortSecret = (secret: string): boolean => secret.length < minSecretLength

const secretsFile = z.object({ jwt: z.string().min(minSecretLength), encryption: z.string().min(minSecretLength) })

type GeneratedSecrets = z.output<typeof secretsFile>

/** Returns the secrets of a text, or undefined. An error of JSON.parse would quote the text. */
export const parseSecretsFile = (text: string): GeneratedSecrets | undefined => {
  try {
    return secretsFile.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

export const getSecretsPath = (dataDir: string): string => join(dataDir, 'secrets.json')

/**
 * Reads `secrets.json`. Returns undefined if it does not exist.
 * @throws InvalidConfigurationError if the file is damaged
 */
const readSecretsFile = (dataDir: string): GeneratedSecrets | undefined => {
  const file = getSecretsPath(dataDir)
  return withDataDirErrors(dataDir, () => {
    if (!existsSync(file)) return undefined
    const secrets = parseSecretsFile(readFileSync(file, 'utf8'))
    if (secrets !== undefined) return secrets
    throw new InvalidConfigurationError(
      `${file} is damaged. Restore it from a backup. Without it, stored credentials cannot be decrypted.`,
    )
  })
}

/** Returns the secrets of a file that the settings do not need. A damaged one does not prevent the start. */
const readOptionalSecretsFile = (dataDir: string): GeneratedSecrets | undefined => {
  try {
    return readSecretsFile(dataDir)
  } catch (error) {
    if (error instanceof FatalError) return undefined
    throw error
  }
}

const generateSecrets = (): GeneratedSecrets => ({
  jwt: randomBytes(32).toString('base64url'),
  encryption: randomBytes(32).toString('base64url'),
})

/** Returns the secrets without those of another source that have the same value. */
const withoutRepetitions = (secrets: readonly EncryptionSecret[]): EncryptionSecret[] =>
  secrets.filter(({ value }, position) => secrets.findIndex((other) => other.value === value) === position)

/** Returns the known secrets that can have encrypted stored values, in the order in which the settings select them. */
const listSecrets = (
  { JWT_SECRET, ENCRYPTION_SECRET }: SecretSettings,
  file: GeneratedSecrets | undefined,
  isNewFile = false,
): EncryptionSecret[] => {
  const candidates: [SecretSource, string | undefined, boolean?][] = [
    ['ENCRYPTION_SECRET', ENCRYPTION_SECRET],
    // In jambonz installations ENCRYPTION_SECRET is often unset and JWT_SECRET encrypts
    // (docs/reference/platform-api/database.md#encryption).
    ['JWT_SECRET', JWT_SECRET],
    ['secrets.json encryption', file?.encryption, isNewFile],
    // An installation whose JWT_SECRET was taken from the file has encrypted with it.
    ['secrets.json jwt', file?.jwt, isNewFile],
  ]
  return withoutRepetitions(
    candidates.flatMap(([source, value, isNew = false]) => (value === undefined ? [] : [{ source, value, isNew }])),
  )
}

/** Returns the secrets that can have encrypted stored values. Unlike `getSecrets`, it requires and generates none. */
export const listEncryptionSecrets = (settings: SecretSettings, dataDir: string): EncryptionSecret[] =>
  listSecrets(settings, readOptionalSecretsFile(dataDir))

/**
 * Returns the secrets of an installation. Changes nothing: new secrets are stored by `storeNewSecrets`.
 * @throws InvalidConfigurationError if a secret is missing or too short
 */
export const getSecrets = (settings: SecretSettings, dataDir: string): Secrets => {
  const { JWT_SECRET: jwt, DATABASE_URL } = settings
  // The secret of an existing jambonz installation cannot be changed without losing the data that it encrypts. For such
  // a secret, Patchbay only logs a warning at startup.
  if (jwt !== undefined && DATABASE_URL === undefined && isShortSecret(jwt))
    throw new InvalidConfigurationError(`JWT_SECRET: must be at least ${minSecretLength} characters long.`)
  if (jwt === undefined && DATABASE_URL !== undefined)
    throw new InvalidConfigurationError(
      'JWT_SECRET must be set together with DATABASE_URL: all processes on one database share it.',
    )
  const stored = jwt === undefined ? readSecretsFile(dataDir) : readOptionalSecretsFile(dataDir)
  const generated = jwt === undefined && stored === undefined ? generateSecrets() : undefined
  const [first, ...others] = listSecrets(settings, stored ?? generated, generated !== undefined)
  const signing = jwt ?? (stored ?? generated)?.jwt
  if (first === undefined || signing === undefined) throw new Error('the installation has no secret')
  return {
    jwt: signing,
    encryption: [first, ...others],
    newFile: generated === undefined ? null : `${JSON.stringify(generated, null, 2)}\n`,
  }
}

const writeNewFile = async (file: string, text: string): Promise<void> => {
  // Processes that start at the same time must not write to the same file.
  const complete = `${file}.${randomUUID()}.partial`
  try {
    await writeDurably(complete, [Buffer.from(text)])
    await moveToNewName(complete, file)
  } finally {
    await rm(complete, { force: true })
  }
}

/**
 * Stores new secrets in `secrets.json`, so that they survive a power failure. Replaces no file.
 * @throws FatalError if another process has created the file meanwhile, or the data folder cannot be used
 */
export const storeNewSecrets = async (dataDir: string, newFile: string | null): Promise<void> => {
  if (newFile === null) return
  const file = getSecretsPath(dataDir)
  try {
    makeDataFolder(dataDir)
    await writeNewFile(file, newFile)
    await syncToDisk(dataDir)
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST')
      throw new FatalError(`Another process has created ${file} meanwhile. Start Patchbay again.`, { cause: error })
    withDataDirErrors(dataDir, () => {
      throw error
    })
  }
}
