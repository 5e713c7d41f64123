import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import type { SystemComponent, SystemStatus } from '@patchbay/contract/system-status'
import { sqlTime } from '@patchbay/server/database/engine'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { startHangingServer } from '@patchbay/testkit/fakes/hanging-server'
import { startFakeHomer } from '@patchbay/testkit/fakes/homer'
import { startFakeJaeger } from '@patchbay/testkit/fakes/jaeger'
import { startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { startStripe } from '@patchbay/testkit/fakes/stripe/stripe'
import { startInfluxDb } from '@patchbay/testkit/servers/influxdb'
import { getPort } from '@patchbay/testkit/servers/ports'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import { type Caller, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { storeCall, storeCapturedCall, storeTrace } from './fixtures.ts'

/** Tests with Debian's redis-server and InfluxDB, and with fakes of the other services. */

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const start = async (variables: NodeJS.ProcessEnv = {}): Promise<TestApi> => {
  const api = await createTestApi(variables)
  open.push(() => api.close())
  return api
}

const readStatus = async (caller: Caller): Promise<SystemStatus> => {
  const answer = await caller.get('/patchbay/system-status')
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  // The cast is safe: the app itself checks responses against the contract.
  return answer.body as SystemStatus
}

const find = ({ components }: SystemStatus, id: string): SystemComponent => {
  const component = components.find((each) => each.id === id)
  if (component === undefined) throw new Error(`there is no ${id}`)
  return component
}

const getStates = ({ components }: SystemStatus) => Object.fromEntries(components.map(({ id, state }) => [id, state]))

const addSbc = async ({ test: { database } }: TestApi, ipv4: string, last_updated: Date | null) => {
  const values = { sbc_address_sid: randomUUID(), ipv4, port: 5060 }
  const at = last_updated === null ? null : sqlTime(database.engine, last_updated)
  await database.db
    .insertInto('sbc_addresses')
    .values({ ...values, last_updated: at })
    .execute()
}

describe('an embedded installation', () => {
  test('reports every component with its effect, and which ones are not configured', async () => {
    const api = await start()
    const status = await readStatus(api.admin)
    expect(getStates(status)).toEqual({
      database: 'ok',
      redis: 'not_configured',
      backups: 'not_configured',
      sbcs: 'not_configured',
      'feature-servers': 'not_configured',
      'rtp-engines': 'not_configured',
      calls: 'unknown',
      traces: 'unknown',
      logs: 'unknown',
      captures: 'unknown',
      recordings: 'unknown',
      masking: 'ok',
      'object-storage': 'not_configured',
      certificates: 'not_configured',
      mail: 'not_configured',
      payment: 'not_configured',
      speech: 'not_configured',
    })
    expect(status.calls).toBeNull()
    expect(find(status, 'database').version).toMatch(/^\d+\.\d+/)
    for (const { effect, fix, detail } of status.components)
      for (const sentence of [effect, fix, detail]) expect(sentence).toMatch(/^[A-Z].+\.$/)
  })

  test('reports the last record of each kind, and SBCs by their heartbeat', async () => {
    const api = await start()
    const service_provider_sid = await api.provider()
    const owner = { account_sid: await api.account(service_provider_sid), service_provider_sid }
    await storeCall(api, owner)
    await storeTrace(api)
    await storeCapturedCall(api, owner)
    await addSbc(api, '192.0.2.1', new Date())
    await addSbc(api, '192.0.2.2', new Date(Date.now() - 10 * 60_000))
    const status = await readStatus(api.admin)
    expect(find(status, 'calls').last_contact).toEqual(expect.any(String))
    for (const id of ['traces', 'captures'])
      expect([id, Date.now() - Date.parse(find(status, id).last_contact ?? '') < 60_000]).toEqual([id, true])
    expect(find(status, 'logs').state).toBe('unknown')
    expect(find(status, 'sbcs')).toMatchObject({
      state: 'warning',
      part_count: 2,
      parts: [
        { name: '192.0.2.2:5060', state: 'failing' },
        { name: '192.0.2.1:5060', state: 'ok' },
      ],
    })
  })

  test('reports a disabled intake with its setting', async () => {
    const status = await readStatus((await start({ INTAKE_OTLP: '0', INTAKE_HEP: '0', INTAKE_INFLUX: '0' })).admin)
    for (const id of ['calls', 'traces', 'logs', 'captures']) expect(find(status, id).state).toBe('not_configured')
    expect(find(status, 'traces').settings).toContain('INTAKE_OTLP')
  })

  test('counts the speech services that failed their latest test', async () => {
    const api = await start()
    const service_provider_sid = await api.provider()
    const add = (tested: object) =>
      api.test.database.db
        .insertInto('speech_credentials')
        .values({
          speech_credential_sid: randomUUID(),
          service_provider_sid,
          vendor: 'deepgram',
          credential: 'encrypted',
          ...tested,
        })
        .execute()
    const last_tested = sqlTime(api.test.database.engine, new Date('2026-11-01T10:00:00Z'))
    await add({ tts_tested_ok: 1, stt_tested_ok: 1, last_tested })
    await add({ tts_tested_ok: 0, stt_tested_ok: 1, last_tested })
    // This service is not used for TTS, so its failed test does not matter.
    await add({ tts_tested_ok: 0, use_for_tts: 0, last_tested })
    expect(find(await readStatus(api.admin), 'speech')).toMatchObject({
      state: 'warning',
      detail: '1 of 3 speech services failed the latest test.',
      last_contact: '2026-11-01T10:00:00.000Z',
    })
  })
})

describe('a platform with Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.port)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  test('reports the registered servers of its cluster and the calls in progress', async () => {
    const api = await start({ ...server.settings, JAMBONES_CLUSTER_ID: 'east' })
    const account = await api.account(await api.provider())
    const other = await api.account(await api.provider())
    await redis.sadd('east:active-sip', '192.0.2.1')
    await redis.sadd('east:active-fs', '10.0.0.1:5060', '10.0.0.2:5060')
    await redis.sadd('east:drained-fs', '10.0.0.2:5060')
    await redis.sadd('east:active-rtp', '10.0.0.3:22222')
    await redis.sadd('west:active-fs', '10.9.9.9:5060')
    await redis.mset(`incalls:account:${account}`, '3', `incalls:account:${other}`, '4')
    await redis.mset(`outcalls:account:${account}`, '2', `outcalls:account:${other}`, '-1')
    const status = await readStatus(api.admin)
    expect(status.calls).toEqual({ inbound: 7, outbound: 2 })
    expect(find(status, 'redis')).toMatchObject({ state: 'ok', version: expect.stringMatching(/^\d+\.\d+/) })
    expect(find(status, 'sbcs')).toMatchObject({ state: 'ok', parts: [{ name: '192.0.2.1' }] })
    expect(find(status, 'feature-servers')).toMatchObject({
      state: 'ok',
      parts: [
        { name: '10.0.0.1:5060', state: 'ok' },
        { name: '10.0.0.2:5060', state: 'warning' },
      ],
    })
    expect(find(status, 'rtp-engines')).toMatchObject({ state: 'ok', parts: [{ name: '10.0.0.3:22222' }] })
  })

  test('reports an empty set of feature servers, and a key of another type, as failing', async () => {
    const empty = await readStatus((await start({ ...server.settings, JAMBONES_CLUSTER_ID: 'empty' })).admin)
    expect(find(empty, 'feature-servers').state).toBe('failing')
    await redis.set('odd:active-fs', 'no set')
    const odd = await readStatus((await start({ ...server.settings, JAMBONES_CLUSTER_ID: 'odd' })).admin)
    expect(find(odd, 'feature-servers').state).toBe('failing')
    expect(find(odd, 'redis').state).toBe('ok')
  })

  test('responds while Redis hangs, and reports what does not depend on it', async () => {
    const api = await start(server.settings)
    // The session of a user is in Redis, an API key is in the database.
    const { caller } = await api.apiKey()
    await addSbc(api, '192.0.2.1', new Date())
    await server.pause()
    try {
      const before = performance.now()
      const status = await readStatus(caller)
      expect(performance.now() - before).toBeLessThan(10_000)
      expect(find(status, 'redis').state).toBe('failing')
      expect(find(status, 'feature-servers').state).toBe('failing')
      expect(find(status, 'sbcs').state).toBe('ok')
      expect(find(status, 'database').state).toBe('ok')
      expect(status.calls).toBeNull()
    } finally {
      server.resume()
    }
  })
})

describe('TLS certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-certificates-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const startTlsServer = async (days: number): Promise<number> => {
    const files = createCertificate(folder, `for-${days}-days`, 'IP:127.0.0.1', days)
    const server = createTlsServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) })
    // The client closes the connection without a word.
    server.on('tlsClientError', () => {}).on('connection', (socket) => socket.on('error', () => {}))
    open.push(() => server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return getPort(server)
  }

  const addTlsPorts = async ({ test: { database } }: TestApi, tls_port: number, wss_port: number | null = null) => {
    const sbc = { sbc_address_sid: randomUUID(), ipv4: '127.0.0.1', port: 5060, tls_port, wss_port }
    await database.db.insertInto('sbc_addresses').values(sbc).execute()
  }

  test('come from SBCs and PUBLIC_URL, and administrators see those that expire soon', async () => {
    const [soon, later] = [await startTlsServer(5), await startTlsServer(60)]
    const api = await start({ PUBLIC_URL: `https://127.0.0.1:${later}/console` })
    await addTlsPorts(api, soon, later)
    const status = await readStatus(api.admin)
    expect(find(status, 'certificates')).toMatchObject({
      state: 'warning',
      detail: 'Expiring soon or not trusted: 2 of 3 certificates.',
      parts: [
        {
          name: `127.0.0.1:${later}`,
          state: 'warning',
          detail: expect.stringMatching(/does not trust it: DEPTH_ZERO/),
        },
        {
          name: `127.0.0.1:${soon}`,
          state: 'warning',
          detail: expect.stringMatching(/^Valid until \d{4}-\d\d-\d\d\.$/),
        },
        { name: `127.0.0.1:${later}`, state: 'ok' },
      ],
    })
    const provider = await api.provider()
    const path = `/patchbay/service-providers/${provider}/overview`
    // The status has read the certificates, so the first overview contains them already.
    expect((await api.admin.get(path)).body).toMatchObject({
      attention: [{ kind: 'certificate_expiring', count: 1, records: [{ name: `127.0.0.1:${soon}`, sid: null }] }],
    })
    const user = await api.user({ service_provider_sid: provider })
    expect((await user.caller.get(path)).body).toMatchObject({ attention: [] })
  })

  test('that cannot be read are unknown, also if the port hangs or has no TLS', async () => {
    const hanging = await startHangingServer()
    open.push(() => hanging.close())
    const plain = createPlainServer((socket) => socket.end('220 ready\r\n'))
    open.push(() => plain.close())
    await once(plain.listen(0, '127.0.0.1'), 'listening')
    const api = await start()
    await addTlsPorts(api, Number(new URL(hanging.origin).port), getPort(plain))
    const { state, detail, parts } = find(await readStatus(api.admin), 'certificates')
    expect([state, detail]).toEqual(['unknown', 'Could not be read: 2 of 2 certificates.'])
    expect(parts.map((part) => part.detail)).toEqual([
      'The TLS port did not answer in time.',
      'The TLS port responded with an error.',
    ])
  })
})

describe('scheduled backups', () => {
  const hourMs = 3_600_000
  const reason = 'The backup cannot be written: /backups/a: the disk is full.'

  const addBackup = async ({ test: { database } }: TestApi, hoursAgo: number, result: object) => {
    const started_at = Date.now() - hoursAgo * hourMs
    const times = { started_at, heartbeat_at: started_at, ended_at: started_at + 60_000, next_due_at: null }
    const backup = { name: randomUUID(), target: '/backups', size: null, reason: null, has_file: 1 } as const
    await database.db
      .insertInto('patchbay_backups')
      .values({ ...backup, ...times, state: 'verified', ...result })
      .execute()
  }
  const succeed = (api: TestApi, hoursAgo: number) =>
    addBackup(api, hoursAgo, { size: 5 * 2 ** 20, next_due_at: Date.now() - (hoursAgo - 24) * hourMs })

  const readBackups = async (api: TestApi) => find(await readStatus(api.admin), 'backups')

  const readAttention = async (api: TestApi, caller: Caller, provider: string) => {
    const { body } = await caller.get(`/patchbay/service-providers/${provider}/overview`)
    return (body as { attention: object[] }).attention
  }

  test('show the last one and the next one, and need no attention', async () => {
    const api = await start({ BACKUP_TARGET: '/backups' })
    await succeed(api, 2)
    const { state, detail, last_contact } = await readBackups(api)
    expect([state, detail]).toEqual([
      'ok',
      expect.stringMatching(
        /^Last backup: \d{4}-\d\d-\d\d \d\d:\d\d UTC, 5\.0 MB\. Next: \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/,
      ),
    ])
    expect(Date.now() - Date.parse(last_contact ?? '')).toBeLessThan(2 * hourMs)
    expect(await readAttention(api, api.admin, await api.provider())).toEqual([])
  })

  test('that fail are reported with the reason, to administrators only', async () => {
    const api = await start({ BACKUP_TARGET: '/backups' })
    await succeed(api, 40)
    await addBackup(api, 3, { state: 'failed', reason: 'an earlier reason' })
    await addBackup(api, 1, { state: 'failed', reason })
    expect(await readBackups(api)).toMatchObject({
      state: 'failing',
      detail: expect.stringMatching(
        /^The last 2 attempts failed: .* the disk is full\. Last backup: .* UTC, 5\.0 MB\.$/,
      ),
    })
    const provider = await api.provider()
    expect(await readAttention(api, api.admin, provider)).toEqual([
      { kind: 'backup_failing', count: 1, records: [expect.objectContaining({ sid: null, detail: reason })] },
    ])
    const user = await api.user({ service_provider_sid: provider })
    expect(await readAttention(api, user.caller, provider)).toEqual([])
  })

  test('are overdue six hours after their time, unless one is being written', async () => {
    const api = await start({ BACKUP_TARGET: '/backups' })
    await succeed(api, 31)
    expect(await readBackups(api)).toMatchObject({ state: 'warning', detail: expect.stringContaining('was due at') })
    expect(await readAttention(api, api.admin, await api.provider())).toHaveLength(1)
    const running = await start({ BACKUP_TARGET: '/backups' })
    await succeed(running, 31)
    await addBackup(running, 0, { state: 'running', ended_at: null })
    expect(await readBackups(running)).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^A backup is being written\. /),
    })
  })

  test('are unknown before the first one', async () => {
    const api = await start({ BACKUP_TARGET: '/backups' })
    expect(await readBackups(api)).toMatchObject({ state: 'unknown', detail: 'No backup has been written yet.' })
  })
})

describe('external services', () => {
  test('are reached, with their version where they send one', async () => {
    const influx = await startInfluxDb()
    open.push(() => influx.stop())
    const [jaeger, homer, mail, stripe] = await Promise.all([
      startFakeJaeger(),
      startFakeHomer(),
      startMailServer(),
      startStripe(),
    ])
    open.push(
      () => jaeger.stop(),
      () => homer.stop(),
      () => mail.stop(),
      () => stripe.close(),
    )
    const api = await start({
      ...influx.settings,
      ...stripe.settings,
      JAEGER_BASE_URL: jaeger.base,
      HOMER_BASE_URL: homer.address.base,
      HOMER_USERNAME: homer.address.username,
      HOMER_PASSWORD: homer.address.password,
      SMTP_URL: mail.url,
      MAIL_FROM: 'patchbay@example.org',
    })
    const status = await readStatus(api.admin)
    const external = ['calls', 'traces', 'captures', 'mail', 'payment'].map((id) => find(status, id))
    expect(external.map(({ id, state }) => [id, state])).toEqual([
      ['calls', 'ok'],
      ['traces', 'ok'],
      ['captures', 'ok'],
      ['mail', 'ok'],
      ['payment', 'ok'],
    ])
    expect(find(status, 'calls').version).toMatch(/^1\./)
    expect(mail.received).toEqual([])
  })

  test('that hang are failing after 2 seconds, and 300 parallel requests open one connection', async () => {
    const hanging = await startHangingServer()
    open.push(() => hanging.close())
    const { host } = new URL(hanging.origin)
    const api = await start({
      SMTP_URL: `smtp://user:an-smtp-secret@${host}`,
      MAIL_FROM: 'patchbay@example.org',
      JAEGER_BASE_URL: hanging.origin,
      JAMBONES_TIME_SERIES_HOST: host,
    })
    const before = performance.now()
    const all = await Promise.all(Array.from({ length: 300 }, () => api.admin.get('/patchbay/system-status')))
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    // Each check has opened one connection.
    expect(hanging.maxConnections()).toBe(3)
    const status = await readStatus(api.admin)
    for (const id of ['mail', 'traces', 'calls']) expect([id, find(status, id).state]).toEqual([id, 'failing'])
    expect(find(status, 'mail').detail).toBe('The mail server did not respond within 2 seconds.')
    expect(all[0]?.text).not.toContain('an-smtp-secret')
  })

  test('that refuse connections are failing, and the response contains no secret', async () => {
    const hanging = await startHangingServer()
    const { host } = new URL(hanging.origin)
    hanging.close()
    const api = await start({
      SMTP_URL: `smtp://user:an-smtp-secret@${host}`,
      MAIL_FROM: 'patchbay@example.org',
      HOMER_BASE_URL: hanging.origin,
      HOMER_USERNAME: 'homer',
      HOMER_PASSWORD: 'a-homer-secret',
      STRIPE_API_KEY: 'sk_test_a_stripe_secret',
      STRIPE_WEBHOOK_SECRET: 'a-webhook-secret',
      STRIPE_BASE_URL: hanging.origin,
      INTAKE_USERNAME: 'intake',
      INTAKE_PASSWORD: 'an-intake-secret',
    })
    const { text } = await api.admin.get('/patchbay/system-status')
    const status = await readStatus(api.admin)
    for (const id of ['mail', 'captures', 'payment']) expect([id, find(status, id).state]).toEqual([id, 'failing'])
    expect(find(status, 'captures').detail).toBe('The host of the Homer server refused the connection.')
    expect(text).not.toMatch(/secret(?! key)/)
  })
})
