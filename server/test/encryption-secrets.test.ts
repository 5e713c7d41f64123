import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openInstallation } from '@patchbay/server/app/open-installation'
import { type Configuration, readConfiguration } from '@patchbay/server/config/configuration'
import type { StorageLocation } from '@patchbay/server/config/settings/storage-settings'
import { encryptedColumns } from '@patchbay/server/database/encrypted-values'
import { EncryptionSecretError, findEncryptionKey } from '@patchbay/server/database/encryption-check'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { withExistingDatabase } from '@patchbay/server/database/migrations'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import { createEncryption } from '@patchbay/server/lib/encryption'
import { isMysql } from '@patchbay/testkit/test-database'
import { runsAllCases } from '@patchbay/testkit/test-tier'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createLocations, createSchema } from './backup-locations.ts'

/** Tests of which secret decrypts the stored credentials after secrets were added, removed, or changed. */

const locations = createLocations('patchbay-secrets-')

/** The secrets of an installation. The values say what they are, so that a message which contains one is recognized. */
interface State {
  ENCRYPTION_SECRET?: string
  JWT_SECRET?: string
  file?: { jwt: string; encryption: string }
}

const createFile = (n: number) => ({ jwt: `hidden-jwt-of-file-${n}`, encryption: `hidden-encryption-of-file-${n}` })
/** MariaDB, which is slower, gets fewer combinations. The rules do not depend on the engine. */
const versions = isMysql ? [1] : [1, 2]
const values = (name: string, numbers: readonly number[]) => numbers.map((n) => `hidden-${name}-secret-${n}`)

/** Every combination. With a database server, JWT_SECRET is required. */
const states: readonly State[] = [undefined, ...values('encryption', versions)].flatMap((encryption) =>
  [...(isMysql ? [] : [undefined]), ...values('jwt', [1, 2])].flatMap((jwt) =>
    [undefined, ...versions.map(createFile)].map((file) => ({
      ...(encryption ? { ENCRYPTION_SECRET: encryption } : {}),
      ...(jwt ? { JWT_SECRET: jwt } : {}),
      ...(file ? { file } : {}),
    })),
  ),
)

const listValues = ({ ENCRYPTION_SECRET, JWT_SECRET, file }: State): (string | undefined)[] => [
  ENCRYPTION_SECRET,
  JWT_SECRET,
  file?.encryption,
  file?.jwt,
]

/** Writes or removes secrets.json, and reads the settings. */
const configure = (
  { dataDir, database }: StorageLocation,
  state: State,
  more: NodeJS.ProcessEnv = {},
): Configuration => {
  const { file, ...settings } = state
  const path = join(dataDir, 'secrets.json')
  if (file) writeFileSync(path, JSON.stringify(file))
  else rmSync(path, { force: true })
  return readConfiguration({
    DATA_DIR: dataDir,
    ...(database.engine === 'mysql' ? { DATABASE_URL: database.url } : {}),
    ...settings,
    ...more,
  })
}

const getEncryption = ({ encryptionSecret, legacyCrypto }: Configuration) =>
  createEncryption(encryptionSecret, { legacy: legacyCrypto })

/** Starts with a state, and returns what the started server uses. */
const start = async (location: StorageLocation, state: State, more: NodeJS.ProcessEnv = {}) => {
  const { database, ...opened } = await openInstallation(configure(location, state, more))
  await database.close()
  return opened
}

const withDatabase = async <T>({ database: address }: StorageLocation, work: (database: Database) => Promise<T>) => {
  const database = openDatabase(address, sqliteReader)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const credential = { vendor: 'deepgram', api_key: 'a key of the tests' }

const storeCredentials = (location: StorageLocation, encryption: { encrypt(text: string): string }, count = 1) =>
  withDatabase(location, async ({ db }) => {
    for (let n = 0; n < count; n += 1)
      await db
        .insertInto('speech_credentials')
        .values({
          speech_credential_sid: randomUUID(),
          vendor: 'deepgram',
          credential: encryption.encrypt(JSON.stringify(credential)),
        })
        .execute()
  })

const discardCheck = (location: StorageLocation) =>
  withDatabase(location, ({ db }) =>
    db.deleteFrom('patchbay_settings').where('setting', '=', 'encryption check').execute(),
  )

const find = (location: StorageLocation, configuration: Configuration) =>
  withExistingDatabase(location.database, (db, tables) => findEncryptionKey(db, tables, configuration))

const catchError = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('the start was not refused')
}

/** Verifies that a start is refused with one sentence that names a setting or the file, and contains no secret. */
const expectRefusal = async (work: Promise<unknown>, pattern: RegExp = /ENCRYPTION_SECRET|secrets\.json/) => {
  const error = await catchError(work)
  expect(error).toBeInstanceOf(EncryptionSecretError)
  const { message } = error as EncryptionSecretError
  expect(message).toMatch(pattern)
  expect(message).not.toMatch(/hidden-/)
  expect(message.match(/\.(?:\s|$)/g)).toHaveLength(1)
}

/** Returns the secret that a start would use, or that it is refused. */
const getOutcome = async (opening: ReturnType<typeof find> | ReturnType<typeof openInstallation>): Promise<string> => {
  const opened = await opening.catch(() => undefined)
  if (opened === undefined) {
    await expectRefusal(opening)
    return 'refused'
  }
  if (!('database' in opened)) return opened.key?.value ?? 'nothing is proven'
  await opened.database.close()
  return opened.configuration.encryptionSecret
}

/** Returns every n-th state from another one on for each index, or all states. */
const sampleStates = (n: number, index = 0) => states.filter((_, at) => runsAllCases || (at + index) % n === 0)

describe.each([
  ['the check value', false],
  ['the stored credentials of a database without a check value', true],
])('%s', (_proof, withoutCheck) => {
  test('decides after each change of the secrets', async () => {
    const outcomes: string[] = []
    const location = await locations.create()
    await createSchema(location.database)
    for (const [index, first] of sampleStates(3).entries()) {
      await discardCheck(location)
      await withDatabase(location, ({ db }) => db.deleteFrom('speech_credentials').execute())
      const { configuration: before } = await start(location, first)
      const { encryptionSecret } = before
      await storeCredentials(location, getEncryption(before))
      if (withoutCheck) await discardCheck(location)
      for (const second of sampleStates(4, index)) {
        const configuration = configure(location, second)
        const outcome = await getOutcome(withoutCheck ? find(location, configuration) : openInstallation(configuration))
        const expected = listValues(second).includes(encryptionSecret) ? encryptionSecret : 'refused'
        expect({ first, second, outcome }).toEqual({ first, second, outcome: expected })
        // A refused start leaves no new secrets, which would only be mistaken for the lost ones.
        const isGenerated = !withoutCheck && outcome !== 'refused' && second.JWT_SECRET === undefined
        expect(existsSync(join(location.dataDir, 'secrets.json'))).toBe(second.file !== undefined || isGenerated)
        // Another secret for credentials does not change which one signs sessions.
        expect(configuration.jwtSecret).toBe(second.JWT_SECRET ?? second.file?.jwt ?? configuration.jwtSecret)
        outcomes.push(outcome)
      }
    }
    const refused = outcomes.filter((outcome) => outcome === 'refused').length
    expect(Math.min(refused, outcomes.length - refused)).toBeGreaterThan(outcomes.length / states.length)
  })
})

const jwt = (n: number) => ({ JWT_SECRET: `hidden-jwt-secret-${n}` })

test.skipIf(isMysql)('generated secrets are stored once, and are still used after JWT_SECRET is set', async () => {
  const location = await locations.create()
  const first = readConfiguration({ DATA_DIR: location.dataDir })
  const opened = await openInstallation(first)
  await opened.database.close()
  const again = readConfiguration({ DATA_DIR: location.dataDir })
  expect(again).toMatchObject({ jwtSecret: first.jwtSecret, encryptionSecret: first.encryptionSecret })
  expect(readdirSync(location.dataDir).filter((name) => name.startsWith('secrets'))).toEqual(['secrets.json'])
  const later = await openInstallation(readConfiguration({ DATA_DIR: location.dataDir, ...jwt(1) }))
  await later.database.close()
  expect(later.configuration).toMatchObject({
    jwtSecret: jwt(1).JWT_SECRET,
    encryptionSecret: first.encryptionSecret,
  })
  expect(later.secret).toEqual({ source: 'secrets.json encryption', isSelected: false })
})

test.skipIf(isMysql)('a second start that generates secrets at the same moment is refused', async () => {
  const location = await locations.create()
  const [one, two] = [
    readConfiguration({ DATA_DIR: location.dataDir }),
    readConfiguration({ DATA_DIR: location.dataDir }),
  ]
  const opened = await openInstallation(one)
  await opened.database.close()
  await expect(openInstallation(two)).rejects.toThrow(/secrets\.json/)
  expect(readConfiguration({ DATA_DIR: location.dataDir }).encryptionSecret).toBe(one.encryptionSecret)
})

test('a refused start changes neither the schema nor the check value', async () => {
  const location = await locations.create()
  await start(location, jwt(1))
  const read = () =>
    withDatabase(location, async ({ db }) => ({
      settings: await db.selectFrom('patchbay_settings').selectAll().orderBy('setting').execute(),
      tables: (await db.introspection.getTables()).map(({ name }) => name),
    }))
  await withDatabase(location, ({ db }) => db.schema.dropTable('patchbay_saved_views').execute())
  const before = await read()
  await expectRefusal(
    openInstallation(configure(location, jwt(2))),
    /set JWT_SECRET, or ENCRYPTION_SECRET, to the earlier/,
  )
  expect(await read()).toEqual(before)
})

test('processes that start at the same time agree on one secret', async () => {
  for (let round = 0; round < 3; round += 1) {
    const location = await locations.create()
    await createSchema(location.database)
    const results = await Promise.allSettled(
      [1, 2, 1, 2].map((n) => openInstallation({ ...configure(location, {}, jwt(n)) })),
    )
    const used = results.flatMap((result) =>
      result.status === 'fulfilled' ? [result.value.configuration.encryptionSecret] : [],
    )
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    for (const result of results) if (result.status === 'fulfilled') await result.value.database.close()
    expect(new Set(used).size).toBe(1)
    expect(errors.map((error) => error instanceof EncryptionSecretError)).toEqual([true, true])
  }
})

test('an adopted database that JWT_SECRET encrypted is read with it, although an old secrets.json exists', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  await storeCredentials(location, createEncryption(jwt(1).JWT_SECRET, { legacy: false }), 3)
  const opened = await start(location, {
    ...jwt(1),
    ENCRYPTION_SECRET: 'hidden-encryption-secret',
    file: createFile(1),
  })
  expect(opened.secret).toEqual({ source: 'JWT_SECRET', isSelected: false })
  expect(opened.unreadable).toBe(0)
})

test.each([true, false])('values of the other cipher are recognized (CTR: %j)', async (legacy) => {
  const location = await locations.create()
  await createSchema(location.database)
  await storeCredentials(location, createEncryption(jwt(1).JWT_SECRET, { legacy }))
  const opposite = { LEGACY_CRYPTO: legacy ? '' : '1' }
  const fromValues = await start(location, jwt(1), opposite)
  const fromCheck = await start(location, jwt(1), opposite)
  expect([fromValues, fromCheck].map(({ configuration }) => configuration.legacyCrypto)).toEqual([legacy, legacy])
})

test('credentials of several secrets are refused until ENCRYPTION_SECRET decides', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  const file = createFile(1)
  await storeCredentials(location, createEncryption(file.encryption, { legacy: false }), 2)
  await storeCredentials(location, createEncryption(jwt(1).JWT_SECRET, { legacy: false }), 3)
  await expectRefusal(
    openInstallation(configure(location, { ...jwt(1), file })),
    /several secrets \(3 with JWT_SECRET and 2 with \S+secrets\.json\): set ENCRYPTION_SECRET/,
  )
  const opened = await start(location, { ...jwt(1), file, ENCRYPTION_SECRET: file.encryption })
  expect(opened.configuration.encryptionSecret).toBe(file.encryption)
  expect(opened.unreadable).toBe(3)
})

test('texts that are not encrypted prove nothing, and an empty database takes what the settings select', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  await withDatabase(location, ({ db }) =>
    db
      .insertInto('speech_credentials')
      .values({ speech_credential_sid: randomUUID(), vendor: 'google', credential: '[object Object]' })
      .execute(),
  )
  expect((await find(location, configure(location, jwt(1)))).key).toBeUndefined()
  const opened = await start(location, { ...jwt(1), file: createFile(1) })
  expect(opened.secret).toEqual({ source: 'JWT_SECRET', isSelected: true })
})

/** Inserts passwords of SIP clients, which are not JSON. */
const storePasswords = (location: StorageLocation, encrypted: readonly string[]) =>
  withDatabase(location, async ({ db }) => {
    const service_provider_sid = randomUUID()
    const account_sid = randomUUID()
    await db.insertInto('service_providers').values({ service_provider_sid, name: randomUUID() }).execute()
    await db
      .insertInto('accounts')
      .values({ account_sid, name: randomUUID(), service_provider_sid, webhook_secret: 'wh_secret' })
      .execute()
    for (const password of encrypted)
      await db
        .insertInto('clients')
        .values({ client_sid: randomUUID(), account_sid, username: randomUUID(), password, is_active: 1 })
        .execute()
  })

test('a wrong secret never decrypts thousands of short passwords to something plausible', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  const right = createEncryption('the secret that nobody knows', { legacy: false })
  await storePasswords(
    location,
    Array.from({ length: 2500 }, () => right.encrypt(randomBytes(4).toString('hex'))),
  )
  for (let n = 0; n < 4; n += 1)
    await expectRefusal(
      find(location, configure(location, { JWT_SECRET: `hidden-${randomUUID()}`, file: createFile(1) })),
      /not encrypted with JWT_SECRET or \S+secrets\.json/,
    )
  const found = await find(location, configure(location, { JWT_SECRET: 'the secret that nobody knows' }))
  expect(found).toMatchObject({ key: { source: 'JWT_SECRET', legacy: false }, unreadable: 0 })
})

test('short passwords of the older cipher are read with the secret that fits all of them', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  const right = createEncryption(jwt(1).JWT_SECRET, { legacy: true })
  await storePasswords(
    location,
    Array.from({ length: 50 }, () => right.encrypt(randomBytes(4).toString('hex'))),
  )
  const state = { ...jwt(1), ENCRYPTION_SECRET: 'hidden-encryption-secret' }
  const found = await find(location, configure(location, state, { LEGACY_CRYPTO: '1' }))
  expect(found.key).toMatchObject({ source: 'JWT_SECRET', legacy: true })
  await expectRefusal(find(location, configure(location, jwt(2), { LEGACY_CRYPTO: '1' })))
})

test('a discarded check value is replaced, whatever is encrypted', async () => {
  const location = await locations.create()
  await start(location, jwt(1))
  await storeCredentials(location, createEncryption(jwt(1).JWT_SECRET, { legacy: false }))
  // The statement of docs/how-to/back-up-and-upgrade.md.
  const statement = "REPLACE INTO patchbay_settings (setting, value) VALUES ('encryption check', 'discarded')"
  await withDatabase(location, ({ db }) => sql.raw(statement).execute(db))
  expect((await start(location, jwt(2))).configuration.encryptionSecret).toBe(jwt(2).JWT_SECRET)
  await expectRefusal(openInstallation(configure(location, jwt(1))))
})

test('the encrypted columns exist', async () => {
  const location = await locations.create()
  await createSchema(location.database)
  await withDatabase(location, async ({ db }) => {
    const tables = new Map((await db.introspection.getTables()).map(({ name, columns }) => [name, columns]))
    for (const { table, id, column } of encryptedColumns)
      expect(tables.get(table)?.map(({ name }) => name)).toEqual(expect.arrayContaining([id, column]))
  })
})
