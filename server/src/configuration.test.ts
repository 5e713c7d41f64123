import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfiguration, UnusableConfiguration } from './configuration.ts'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-configuration-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (variables: NodeJS.ProcessEnv) => readConfiguration({ DATA_DIR: folder, ...variables })

test('without settings: port 3000, a file in the data folder, the intake on loopback', () => {
  expect(read({})).toMatchObject({
    port: 3000,
    host: '0.0.0.0',
    database: { engine: 'sqlite', file: join(folder, 'patchbay.sqlite') },
    sessionSeconds: 3600,
    signIn: { attempts: 6, windowSeconds: 1800 },
    influxIntake: { host: '127.0.0.1', port: 8086 },
    apiBase: null,
  })
})

test('secrets are made once, kept beside the database, and readable by their owner alone', () => {
  const first = read({})
  expect(read({}).jwtSecret).toBe(first.jwtSecret)
  expect(first.jwtSecret).not.toBe(first.encryptionSecret)
  const file = join(folder, 'secrets.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ jwt: first.jwtSecret, encryption: first.encryptionSecret })
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('settings are read, and an empty one counts as unset', () => {
  const configuration = read({
    PORT: '8080',
    HTTP_PORT: '9090',
    DATABASE_URL: 'mariadb://u:p@db:3306/jambones',
    JWT_SECRET: 'a secret of many letters',
    JWT_EXPIRES_IN: '5',
    INTAKE_INFLUX: '0',
    DISABLE_RATE_LIMITS: '1',
    LOG_LEVEL: '',
  })
  expect(configuration).toMatchObject({
    port: 8080,
    database: { engine: 'mysql', url: 'mysql://u:p@db:3306/jambones' },
    jwtSecret: 'a secret of many letters',
    // Where the platform sets one secret, it serves both.
    encryptionSecret: 'a secret of many letters',
    sessionSeconds: 300,
    influxIntake: null,
    rateLimit: null,
    logLevel: 'info',
  })
  expect(read({ HTTP_PORT: '9090' }).port).toBe(9090)
})

test.each([
  [{ PORT: 'http' }, 'PORT: must be a port number'],
  [{ PORT: '70000' }, 'PORT: '],
  [{ DATABASE_URL: 'postgres://x/y' }, 'DATABASE_URL: must be mysql://user:password@host:port/database'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL: '],
  [{ DATABASE_URL: 'mysql://x/y' }, 'JWT_SECRET must be set together with DATABASE_URL'],
  [{ JWT_SECRET: 'short' }, 'JWT_SECRET: must be at least 16 characters long'],
  [{ DISABLE_RATE_LIMITS: 'maybe' }, 'DISABLE_RATE_LIMITS: must be true or false'],
  [{ INTAKE_INFLUX: 'everywhere' }, 'INTAKE_INFLUX: must be a port, or host:port'],
  [{ INTAKE_INFLUX: '0.0.0.0:8086' }, 'set INTAKE_USERNAME and INTAKE_PASSWORD'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: '],
])('%j stops the start and says why', (variables, text) => {
  expect(() => read(variables)).toThrow(UnusableConfiguration)
  expect(() => read(variables)).toThrow(text)
})

test('all that is wrong is said at once', () => {
  expect(() => read({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/PORT[^]*LOG_LEVEL/)
})
