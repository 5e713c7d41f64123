import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { getDatabasePath, withDataDirErrors } from '../data-directory.ts'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import type { DatabaseAddress } from '../option-types.ts'
import { getSecrets, minSecretLength } from '../secrets.ts'
import { readNamedFile } from './dependent-settings.ts'
import { markSecret, positive, type Values } from './schemas.ts'

/** The settings of the data folder, the database, and the secrets of an installation. */

/** Query parameters are rejected, because a library would read settings such as `ssl` from them, and Patchbay does not. */
const isDatabaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  const isComplete = url !== null && url.pathname.length > 1 && url.search === ''
  // Name and password are decoded, so a percent sign must be encoded.
  return isComplete && ['mysql:', 'mariadb:'].includes(url.protocol) && !/%(?![\da-f]{2})/i.test(text)
}

export const storageVariables = {
  DATA_DIR: z
    .string()
    .default('./data')
    .describe(
      'Folder of the embedded database, the recordings, and the generated secrets. It must be a folder ' +
        'of its own; Patchbay closes it to other users',
    ),
  DATABASE_URL: markSecret(
    z
      .string()
      .refine(isDatabaseUrl, { error: 'must be mysql://user:password@host:port/database' })
      .optional()
      .describe(
        '`mysql://user:password@host:port/database`, without query parameters: MySQL or MariaDB instead ' +
          'of the embedded database ([versions](#database-servers))',
      ),
  ),
  DATABASE_CA_FILE: z
    .string()
    .optional()
    .describe(
      'PEM file of the CA of the database certificate. If set, connections require TLS, and ' +
        '`DATABASE_URL` must contain the host name of the certificate',
    ),
  DATABASE_CONNECTIONS: positive.default(10).describe('Number of connections to that database'),
  JWT_SECRET: markSecret(
    z
      .string()
      .optional()
      .meta({
        description:
          'Signs session tokens. At least 16 characters; with `DATABASE_URL`, a shorter secret of an ' +
          'existing platform is accepted with a warning. Required with `DATABASE_URL`',
        documentedDefault: 'generated',
      }),
  ),
  ENCRYPTION_SECRET: markSecret(
    z
      .string()
      .min(minSecretLength, { error: `must be at least ${minSecretLength} characters long` })
      .optional()
      .meta({
        description:
          "Encrypts stored credentials in the platform's format. At least 16 characters. An existing " +
          'database keeps [the secret that decrypts its ' +
          'credentials](../explanation/security.md#which-secret-encrypts)',
        documentedDefault: 'generated, or `JWT_SECRET`',
      }),
  ),
  LEGACY_CRYPTO: z
    .string()
    .default('')
    .describe(
      "Any value: AES-256-CTR instead of CBC, if the platform's components use it. An existing database " +
        'keeps its cipher',
    ),
}

type StorageEnvironment = Values<typeof storageVariables>

/** The MySQL library compares a certificate only with host names. */
const readDatabaseCa = (url: string, env: StorageEnvironment): { ca?: string } => {
  if (env.DATABASE_CA_FILE === undefined) return {}
  if (isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0)
    throw new InvalidConfigurationError('DATABASE_URL must give the database by the name in its certificate.')
  return { ca: readNamedFile(env, 'DATABASE_CA_FILE') }
}

/** The folder and the database of an installation. */
export interface StorageLocation {
  dataDir: string
  database: DatabaseAddress
}

export const getStorageLocation = (env: StorageEnvironment): StorageLocation => {
  // The current folder of a relative path can have been deleted.
  const dataDir = withDataDirErrors(env.DATA_DIR, () => resolve(env.DATA_DIR))
  if (env.DATABASE_URL === undefined) return { dataDir, database: { engine: 'sqlite', file: getDatabasePath(dataDir) } }
  const url = env.DATABASE_URL.replace(/^mariadb:/, 'mysql:')
  const ca = readDatabaseCa(env.DATABASE_URL, env)
  return { dataDir, database: { engine: 'mysql', url, connections: env.DATABASE_CONNECTIONS, ...ca } }
}

/** Returns whether the components of jambonz use their older encryption. */
export const isLegacyCrypto = ({ LEGACY_CRYPTO }: StorageEnvironment): boolean => LEGACY_CRYPTO !== ''

/** @throws InvalidConfigurationError if a secret is missing or too short */
export const getStorageSettings = (env: StorageEnvironment) => {
  const location = getStorageLocation(env)
  const secrets = getSecrets(env, location.dataDir)
  return {
    ...location,
    jwtSecret: secrets.jwt,
    /** Encrypts stored credentials. Until `openInstallation` has proven one, it is the one that the settings select. */
    encryptionSecret: secrets.encryption[0].value,
    /** All known secrets with which stored credentials can be encrypted. */
    encryptionSecrets: secrets.encryption,
    legacyCrypto: isLegacyCrypto(env),
    /** Text of a `secrets.json` that has to be stored before its secrets are used, or null. */
    newSecretsFile: secrets.newFile,
  }
}
