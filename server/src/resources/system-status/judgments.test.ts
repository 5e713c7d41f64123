import { ApiError } from '@patchbay/contract/api/errors'
import { dayMs, hourMs } from '@patchbay/contract/shared/durations'
import { describe, expect, test } from 'vitest'
import { describeSenders } from '../../call-data/ingest/describe-senders.ts'
import { parseAddressOrNetwork } from '../../lib/ip-networks.ts'
import { cacheBriefly } from './cache-briefly.ts'
import { judgeIntake } from './call-data-checks.ts'
import { judgeFeatureServers, judgeRtpEngines, judgeSbcs } from './call-server-checks.ts'
import { judgeCertificates } from './certificate-check.ts'
import { CheckTimeoutError, describeFailure, runBounded } from './finding.ts'
import { judgeSpeech } from './service-checks.ts'

const now = Date.parse('2026-11-25T12:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString()
const servers = (...members: string[]) => ({ members, count: members.length })
const none = servers()
const sbc = (ipv4: string, last_updated: string | null) => ({ ipv4, port: 5060, last_updated })

describe('SBCs', () => {
  test('are ok with heartbeats of the last 2 minutes', () => {
    const finding = judgeSbcs([sbc('10.0.0.1', ago(119)), sbc('10.0.0.2', ago(5))], servers('10.0.0.1'), now)
    expect(finding).toMatchObject({
      state: 'ok',
      detail: '2 SBCs send heartbeats. 1 SBC registered in Redis.',
      last_contact: ago(5),
      part_count: 2,
    })
  })

  test('are a warning if one is silent, which is listed first, and failing if all are', () => {
    const some = judgeSbcs([sbc('10.0.0.1', ago(5)), sbc('10.0.0.2', ago(121))], null, now)
    expect([some.state, some.parts?.[0]]).toEqual([
      'warning',
      {
        name: '10.0.0.2:5060',
        state: 'failing',
        detail: 'No heartbeat for more than 2 minutes.',
        last_contact: ago(121),
      },
    ])
    expect(judgeSbcs([sbc('10.0.0.2', ago(3600))], none, now).state).toBe('failing')
  })

  test('are unknown if all addresses were entered by hand, unless Redis lists one', () => {
    expect(judgeSbcs([sbc('10.0.0.1', null)], none, now).state).toBe('unknown')
    expect(judgeSbcs([sbc('10.0.0.1', null)], servers('10.0.0.9'), now)).toMatchObject({
      state: 'ok',
      parts: [{ name: '10.0.0.9' }],
    })
  })

  test('are failing if none is known, and not configured without Redis', () => {
    expect(judgeSbcs([], null, now).state).toBe('not_configured')
    expect(judgeSbcs([], none, now).state).toBe('failing')
  })

  test('include at most 50 instances, and the number of all', () => {
    const rows = Array.from({ length: 120 }, (_, index) => sbc(`10.0.0.${index}`, ago(1)))
    const { parts, part_count } = judgeSbcs(rows, null, now)
    expect([parts?.length, part_count]).toEqual([50, 120])
  })
})

describe('feature servers', () => {
  test('are failing if none is registered, or all are drained', () => {
    expect(judgeFeatureServers({ featureServers: none, drainedFeatureServers: none }, false).state).toBe('failing')
    const drained = judgeFeatureServers(
      { featureServers: none, drainedFeatureServers: servers('10.0.0.1:5060') },
      false,
    )
    expect(drained).toMatchObject({ state: 'failing', parts: [{ name: '10.0.0.1:5060', state: 'warning' }] })
  })

  test('count a server that is listed as active and as drained once', () => {
    const finding = judgeFeatureServers(
      { featureServers: servers('10.0.0.1:5060', '10.0.0.2:5060'), drainedFeatureServers: servers('10.0.0.2:5060') },
      false,
    )
    expect(finding).toMatchObject({ state: 'ok', detail: '1 feature server is active. 1 drained.', part_count: 2 })
  })

  test('are unknown behind a Kubernetes service, which needs no registration', () => {
    expect(judgeFeatureServers({ featureServers: none, drainedFeatureServers: none }, true).state).toBe('unknown')
  })
})

test('RTP engines that are not registered are unknown, because SBCs can have a fixed list', () => {
  expect(judgeRtpEngines(none).state).toBe('unknown')
  expect(judgeRtpEngines(servers('10.0.0.3:22222')).state).toBe('ok')
})

describe('intakes', () => {
  const base = {
    name: 'otlp',
    nouns: 'traces',
    address: { host: '127.0.0.1', port: 4318 },
    rejectedSenders: [],
    status: { is: 'listening' },
    last: now,
    lastCall: now,
  } as const

  test('are failing with the reason if their port cannot be opened, whatever arrived before', () => {
    const finding = judgeIntake({ ...base, status: { is: 'failed', code: 'EADDRINUSE' } })
    expect(finding).toMatchObject({
      state: 'failing',
      detail: 'Port 4318 cannot be opened: another program uses it. Nothing arrives.',
    })
  })

  test('are a warning if calls continued for an hour after the last record', () => {
    expect(judgeIntake({ ...base, last: now - hourMs }).state).toBe('ok')
    expect(judgeIntake({ ...base, last: now - hourMs - 1 }).state).toBe('warning')
    expect(judgeIntake({ ...base, last: now - 10 * hourMs, lastCall: null }).state).toBe('ok')
  })

  test('are unknown before the first record, and say who can send', () => {
    expect(judgeIntake({ ...base, last: null })).toMatchObject({
      state: 'unknown',
      detail:
        'Port 4318 receives traces. Nothing has arrived yet. Only programs on this machine can send, because the port listens on 127.0.0.1.',
    })
  })

  const key = { username: 'writer', password: 'secret' }
  const senders = [parseAddressOrNetwork('10.0.0.0/8') ?? expect.fail()]
  const hep = {
    ...base,
    name: 'hep',
    nouns: 'captured SIP',
    address: { host: '0.0.0.0', port: 9060, senders },
  } as const
  const sender = { address: '10.1.2.3', reason: 'not_listed', count: 1204, lastAt: now } as const

  test('name the senders that they rejected within the last hour, and why', () => {
    const others = ['192.0.2.7', 'fd00::1'].map((address) => ({ ...sender, address, count: 1 }))
    expect(judgeIntake({ ...hep, last: null, rejectedSenders: [sender, ...others] }, now)).toMatchObject({
      state: 'warning',
      detail:
        'Port 9060 receives captured SIP. Nothing has arrived yet. Data of 10.1.2.3 is rejected, because INTAKE_HEP_SENDERS does not list the address. 2 more addresses are rejected.',
      parts: [
        {
          name: '10.1.2.3',
          state: 'warning',
          detail: 'Rejected 1,204 times: INTAKE_HEP_SENDERS does not list the address.',
        },
        { name: '192.0.2.7', detail: 'Rejected 1 time: INTAKE_HEP_SENDERS does not list the address.' },
        { name: 'fd00::1' },
      ],
      part_count: 3,
    })
    expect(judgeIntake({ ...hep, rejectedSenders: [sender] }, now + hourMs)).toMatchObject({ state: 'ok' })
  })

  test.each([
    [
      { ...hep.address, credentials: key },
      'The addresses in INTAKE_HEP_SENDERS can send, and others with INTAKE_PASSWORD as the HEP authentication key.',
    ],
    [hep.address, 'Only the addresses in INTAKE_HEP_SENDERS can send.'],
    [
      { host: '0.0.0.0', port: 9060, credentials: key },
      'Senders need INTAKE_PASSWORD as the HEP authentication key, which drachtio and rtpengine cannot send: list their addresses in INTAKE_HEP_SENDERS.',
    ],
  ])('explain who can send SIP: %j', (address, sentence) => {
    expect(describeSenders('hep', address)).toBe(sentence)
  })

  test('explain that the components of the platform send fixed credentials to InfluxDB', () => {
    const address = { host: '0.0.0.0', port: 8086 }
    expect(describeSenders('influx', { ...address, credentials: key })).toContain(
      'list their addresses in INTAKE_INFLUX_SENDERS',
    )
    expect(describeSenders('influx', { ...address, credentials: { username: 'root', password: 'root' } })).toBe(
      'Senders need INTAKE_USERNAME and INTAKE_PASSWORD.',
    )
    expect(describeSenders('otlp', { ...address, credentials: key })).toBe(
      'Senders need INTAKE_USERNAME and INTAKE_PASSWORD.',
    )
  })

  test('count what could not be stored by reason, and warn of packets that an agent sends wrongly', () => {
    const record = { count: 1, example: '80 bytes with the chunks 1 (1 bytes)', sender: '10.1.2.3', lastAt: now }
    const unstored = new Map([
      ['other_protocol', { ...record, count: 1200 }],
      ['no_address', { ...record, count: 2 }],
    ] as const)
    const detail =
      'Port 9060 receives captured SIP. Packets not stored since the start: 1,200 of other protocols than SIP, 2 without IP addresses (HEP chunks 3 and 4, or 5 and 6).'
    expect(judgeIntake({ ...hep, unstored }, now)).toMatchObject({
      state: 'warning',
      detail: `${detail} Latest from 10.1.2.3: 80 bytes with the chunks 1 (1 bytes).`,
    })
    // An agent that was repaired does not remain a warning, but its packets are still counted.
    expect(judgeIntake({ ...hep, unstored }, now + hourMs)).toMatchObject({ state: 'ok', detail })
    expect(judgeIntake({ ...hep, unstored: new Map([['other_protocol', record]]) }, now)).toMatchObject({ state: 'ok' })
  })

  test.each([
    [
      'no_credentials',
      'it did not send INTAKE_PASSWORD as the HEP authentication key, and INTAKE_HEP_SENDERS does not list the address',
    ],
    [
      'wrong_credentials',
      'it sent another value than INTAKE_PASSWORD as the HEP authentication key, and INTAKE_HEP_SENDERS does not list the address',
    ],
  ] as const)('explain a rejection because of %s', (reason, explanation) => {
    expect(judgeIntake({ ...hep, rejectedSenders: [{ ...sender, reason }] }, now).detail).toBe(
      `Port 9060 receives captured SIP. Data of 10.1.2.3 is rejected, because ${explanation}.`,
    )
  })
})

test('speech services are judged by their latest tests', () => {
  const figures = { services: 3, failed: 0, tested: 2, last_contact: null }
  expect(judgeSpeech(figures).state).toBe('ok')
  expect(judgeSpeech({ ...figures, failed: 1 }).state).toBe('warning')
  expect(judgeSpeech({ ...figures, failed: 3 }).state).toBe('failing')
  expect(judgeSpeech({ ...figures, tested: 0 }).state).toBe('unknown')
  expect(judgeSpeech({ ...figures, services: 0 }).state).toBe('not_configured')
})

describe('failures of checks', () => {
  test('are described without texts of the service, which can repeat credentials', () => {
    const error = Object.assign(new Error('535 no such user s3cret'), { code: 'EAUTH' })
    expect(describeFailure(error, 'mail server')).toBe('The mail server rejected the credentials.')
    expect(describeFailure(new Error('s3cret'), 'mail server')).toBe('The mail server responded with an error.')
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    const unavailable = Object.assign(new ApiError('unavailable'), { cause: refused })
    expect(describeFailure(unavailable, 'Redis server')).toBe('The host of the Redis server refused the connection.')
    const closed = Object.assign(new ApiError('unavailable'), { cause: new Error('Connection is closed.') })
    expect(describeFailure(closed, 'Redis server')).toBe('The Redis server cannot be reached.')
    expect(describeFailure(new CheckTimeoutError(2), 'database')).toBe('The database did not respond within 2 seconds.')
  })
})

describe('bounded work', () => {
  test('that hangs ends after the time limit and is not started a second time', async () => {
    let starts = 0
    let finish = () => {}
    const work = runBounded(() => {
      starts += 1
      return new Promise<void>((resolve) => {
        finish = resolve
      })
    }, 0.01)
    await expect(work()).rejects.toThrow(CheckTimeoutError)
    await expect(work()).rejects.toThrow(CheckTimeoutError)
    expect(starts).toBe(1)
    finish()
    await new Promise(setImmediate)
    await expect(work()).rejects.toThrow(CheckTimeoutError)
    expect(starts).toBe(2)
  })

  test('that throws is started again', async () => {
    let starts = 0
    const work = runBounded(() => {
      starts += 1
      throw new Error('broken')
    })
    await expect(work()).rejects.toThrow('broken')
    await expect(work()).rejects.toThrow('broken')
    expect(starts).toBe(2)
  })
})

test('a cached result serves concurrent and later calls until it expires, and a failure is not cached', async () => {
  let time = 0
  let runs = 0
  let isBroken = true
  const read = cacheBriefly(
    async () => {
      runs += 1
      await Promise.resolve()
      if (isBroken) throw new Error('broken')
      return runs
    },
    5_000,
    () => time,
  )
  await expect(read()).rejects.toThrow('broken')
  isBroken = false
  expect(await Promise.all([read(), read(), read()])).toEqual([2, 2, 2])
  time = 4_999
  expect(await read()).toBe(2)
  time = 5_000
  expect(await read()).toBe(3)
})

describe('TLS certificates', () => {
  const certificate = (days: number, untrustedReason: string | null = null, isPublicAddress = true) => ({
    name: `${days}.example.org`,
    isPublicAddress,
    certificate: { validUntil: now + days * dayMs, untrustedReason },
    failure: undefined,
  })

  test('are a warning from two weeks before their end, and failing after it', () => {
    expect(judgeCertificates([certificate(15)], now).state).toBe('ok')
    expect(judgeCertificates([certificate(15), certificate(13)], now)).toMatchObject({
      state: 'warning',
      detail: 'Expiring soon or not trusted: 1 of 2 certificates.',
      parts: [{ name: '13.example.org', detail: 'Valid until 2026-12-08.' }, { name: '15.example.org' }],
    })
    expect(judgeCertificates([certificate(13), certificate(-1)], now)).toMatchObject({
      state: 'failing',
      detail: 'Expired: 1 of 2 certificates.',
      parts: [{ name: '-1.example.org', state: 'failing', detail: 'Expired on 2026-11-24.' }, {}],
    })
  })

  test('that are not trusted are a warning for browsers only', () => {
    const selfSigned = 'DEPTH_ZERO_SELF_SIGNED_CERT'
    expect(judgeCertificates([certificate(60, selfSigned)], now).state).toBe('warning')
    expect(judgeCertificates([certificate(60, selfSigned, false)], now).state).toBe('ok')
  })
})
