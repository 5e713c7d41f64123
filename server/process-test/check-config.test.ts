import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startFakeHomer } from '@patchbay/testkit/fakes/homer'
import { startFakeJaeger } from '@patchbay/testkit/fakes/jaeger'
import { startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { startOtlpReceiver } from '@patchbay/testkit/peers/otlp-receiver'
import { startInfluxDb } from '@patchbay/testkit/servers/influxdb'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startRedis } from '@patchbay/testkit/servers/redis'
import { builtServer } from '@patchbay/testkit/servers/server-process'
import { createConnection } from 'mysql2/promise'
import { afterAll, expect, inject, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'patchbay-check-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secretText = 'a-secret-of-sixteen-letters'

const run = (settings: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: join(folder, 'data'), ...settings }
    const command = [...builtServer, 'check-config', ...args]
    const child = execFile(process.execPath, command, { env, cwd: folder }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    )
  })

interface Report {
  isOk: boolean
  problem: string | null
  unknown: unknown[]
  intakes: { setting: string; detail: string }[]
  connections: { service: string; isReachable: boolean; detail: string }[]
}

const readReport = async (settings: NodeJS.ProcessEnv, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await run(settings, '--json', ...args)
  expect(stderr).toBe('')
  expect(stdout).not.toMatch(/a-secret-of-sixteen-letters|mail-password/)
  return { code, ...(JSON.parse(stdout) as Report) }
}

const toResults = ({ connections }: Report): Record<string, string> =>
  Object.fromEntries(connections.map(({ service, isReachable, detail }) => [service, `${isReachable}: ${detail}`]))

test('a default configuration is valid, and nothing is created', async () => {
  const { code, stdout, stderr } = await run({})
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^Settings\n {2}DATA_DIR {2}.*\n\nDefaults\n {2}HOST +127\.0\.0\.1\n/)
  expect(stdout).toMatch(
    /\n {2}database {2}ok: The next start makes \d+ schema changes\.\n\nThe configuration can be used\.\n$/,
  )
  expect(readdirSync(folder)).toEqual([])
})

test('says who can send call data to each intake', async () => {
  const { intakes } = await readReport({
    INTAKE_INFLUX: '0',
    INTAKE_HEP: '0.0.0.0:9060',
    INTAKE_USERNAME: 'writer',
    INTAKE_PASSWORD: secretText,
  })
  expect(intakes).toEqual([
    { setting: 'INTAKE_INFLUX', detail: 'The intake is off.' },
    {
      setting: 'INTAKE_OTLP',
      detail: 'Only programs on this machine can send, with INTAKE_USERNAME and INTAKE_PASSWORD.',
    },
    {
      setting: 'INTAKE_HEP',
      detail:
        'Senders need INTAKE_PASSWORD as the HEP authentication key, which drachtio and rtpengine cannot send: list their addresses in INTAKE_HEP_SENDERS.',
    },
  ])
  const { stdout } = await run({})
  expect(stdout).toContain(
    '\n  INTAKE_HEP     Only programs on this machine can send, because the port listens on 127.0.0.1.\n',
  )
})

test('every configured service is connected to, with its credentials', async () => {
  const [redis, influx, jaeger, homer, mail] = await Promise.all([
    startRedis({ args: ['--requirepass', secretText] }),
    startInfluxDb(),
    startFakeJaeger(),
    startFakeHomer(),
    startMailServer(),
  ])
  try {
    const passwordFile = join(folder, 'homer-password')
    writeFileSync(passwordFile, `${homer.address.password}\n`)
    const settings = {
      DATABASE_URL: await mariaDbClient(inject('mariadb')).createDatabase(),
      JWT_SECRET: secretText,
      ...redis.settings,
      JAMBONES_REDIS_PASSWORD: secretText,
      ...influx.settings,
      JAEGER_BASE_URL: jaeger.base,
      HOMER_BASE_URL: homer.address.base,
      HOMER_USERNAME: homer.address.username,
      HOMER_PASSWORD_FILE: passwordFile,
      SMTP_URL: mail.url,
      MAIL_FROM: 'patchbay@example.com',
    }
    const report = await readReport(settings)
    expect(toResults(report)).toEqual({
      database: expect.stringMatching(
        /^true: The next start makes \d+ schema changes\. No stored credential .* uses JWT_SECRET\.$/,
      ),
      'Redis server': 'true: Redis responds.',
      'InfluxDB server': 'true: InfluxDB responds.',
      'Jaeger server': 'true: Jaeger responds.',
      'Homer server': 'true: Homer accepts the credentials.',
      'mail server': 'true: The mail server accepts connections.',
    })
    expect(report).toMatchObject({ code: 0, isOk: true, problem: null, unknown: [] })
    const connection = await createConnection(settings.DATABASE_URL)
    const [tables] = await connection.query('SHOW TABLES')
    await connection.end()
    expect(tables).toEqual([])

    const wrong = await readReport({
      ...settings,
      DATABASE_URL: settings.DATABASE_URL.replace(/\/\/[^@]*@/, `//somebody:${secretText}@`),
      JAMBONES_REDIS_PASSWORD: 'a wrong password',
      HOMER_USERNAME: 'somebody',
    })
    expect(wrong).toMatchObject({ code: 1, isOk: false, problem: null })
    expect(toResults(wrong)).toMatchObject({
      database: expect.stringMatching(
        /^false: The database of DATABASE_URL cannot be reached: Access denied for user /,
      ),
      'Redis server': 'false: The Redis server rejected the credentials.',
      'Homer server': 'false: The Homer server rejected the credentials.',
    })
  } finally {
    await Promise.all([redis, influx, jaeger, homer, mail].map((service) => service.stop()))
  }
})

test('services that do not respond fail together after the time limit', async () => {
  const hanging = await startHangingServer()
  try {
    const { hostname, port, host } = new URL(hanging.origin)
    const before = performance.now()
    const report = await readReport({
      DATABASE_URL: `mysql://root:${secretText}@${host}/patchbay`,
      JWT_SECRET: secretText,
      JAMBONES_REDIS_HOST: hostname,
      JAMBONES_REDIS_PORT: port,
      JAMBONES_TIME_SERIES_HOST: host,
      JAEGER_BASE_URL: hanging.origin,
      HOMER_BASE_URL: hanging.origin,
      HOMER_USERNAME: 'patchbay',
      HOMER_PASSWORD: secretText,
      SMTP_URL: `smtp://patchbay:${secretText}@${host}`,
      MAIL_FROM: 'patchbay@example.com',
    })
    // Checks one after another would take 30 seconds.
    expect(performance.now() - before).toBeLessThan(20_000)
    expect(report.code).toBe(1)
    expect(report.connections).toHaveLength(6)
    expect(report.connections.filter(({ isReachable }) => isReachable)).toEqual([])
  } finally {
    hanging.close()
  }
})

test('wrong settings are explained, and unknown names fail with --strict only', async () => {
  const wrong = await readReport({ PORT: 'http', JWT_SECRET_FILE: '/missing', LOG_LEVEL: 'loud' })
  expect(wrong).toMatchObject({ code: 1, isOk: false, connections: [] })
  expect(wrong.problem).toMatch(/JWT_SECRET_FILE names \/missing, which cannot be read\n {2}PORT: .*\n {2}LOG_LEVEL: /)
  const misspelled = { JWT_SECRTE: secretText }
  const unknown = [{ name: 'JWT_SECRTE', suggestion: 'JWT_SECRET' }]
  expect(await readReport(misspelled)).toMatchObject({ code: 0, isOk: true, unknown })
  expect(await readReport(misspelled, '--strict')).toMatchObject({ code: 1, isOk: false, unknown })
  expect((await run(misspelled)).stdout).toContain('JWT_SECRTE  Did you mean JWT_SECRET?')
})

test('a data folder that cannot be used is explained', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const report = await readReport({ DATA_DIR: join(file, 'data') })
  expect(report.code).toBe(1)
  expect(report.problem ?? report.connections[0]?.detail).toMatch(
    /\(DATA_DIR\) cannot be used: it is a file or is below a file\. Set another folder\.$/,
  )
})

test('the receiver of traces gets an export without spans, and its credentials are not shown', async () => {
  const receiver = await startOtlpReceiver()
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${secretText}`,
  }
  try {
    const report = await readReport(settings)
    expect(toResults(report)).toMatchObject({ 'receiver of traces': 'true: The receiver accepts exports.' })
    expect(receiver.headers).toMatchObject([{ 'api-key': secretText }])
    expect(receiver.bodies).toHaveLength(1)
    expect(receiver.spans).toEqual([])
    receiver.answer = (response) => response.writeHead(401).end(secretText)
    const rejected = 'false: The receiver of traces rejected the credentials.'
    expect(toResults(await readReport(settings))).toMatchObject({ 'receiver of traces': rejected })
    receiver.answer = (response) => response.writeHead(404).end()
    const wrongPath = 'false: The receiver of traces responded with an error.'
    expect(toResults(await readReport(settings))).toMatchObject({ 'receiver of traces': wrongPath })
  } finally {
    await receiver.stop()
  }
})
