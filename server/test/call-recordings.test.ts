import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as moment } from 'node:timers/promises'
import { removeRecordingsBefore } from '@patchbay/server/call-data/recordings/file-recordings'
import { acceptRecordings, type RecordSocketOptions } from '@patchbay/server/call-data/recordings/recording-websocket'
import { hearMp3, openRecordSocket, startRecording, tones } from '@patchbay/testkit/fakes/recorder'
import { getPort } from '@patchbay/testkit/servers/ports'
import { createTestApi } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { beforeAll, describe, expect, test } from 'vitest'
import { callRecord, storeRecordedCall } from './fixtures.ts'

/** Recordings, from the feature server's WebSocket to the API response, with access control. */

const api = await openTestApi()
const service_provider_sid = await api.provider()
const url = (await api.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')

const accountWith = (record_format: 'mp3' | 'wav' = 'mp3') => api.account(service_provider_sid, { record_format })

const formatDay = (more = 0): string => {
  const now = new Date(Date.now() + more * 86_400_000)
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

const buildPath = (account_sid: string, call_sid: string, format: string, day = formatDay()): string =>
  `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/${format}`

const ask = async (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') => {
  const authorization = `Bearer ${api.admin.token}`
  const {
    statusCode,
    headers: responseHeaders,
    rawPayload,
  } = await api.app.inject({
    method,
    url: `/v1${path}`,
    headers: { authorization, ...headers },
  })
  return { status: statusCode, headers: responseHeaders, content: rawPayload }
}

/** Waits for a recording, because the server stores it after the socket is closed. */
const saved = async (path: string) => {
  for (let remainingAttempts = 100; remainingAttempts > 0; remainingAttempts -= 1) {
    const answer = await ask(path)
    if (answer.status === 200) return answer
    await moment(20)
  }
  throw new Error(`no recording at ${path}`)
}

const recorded = async (format: 'mp3' | 'wav', audio: Buffer, sampleRate = 8000) => {
  const account_sid = await accountWith(format)
  const call = await startRecording({ url, account_sid, sampleRate })
  await call.say(audio)
  await call.hangUp()
  const path = buildPath(account_sid, call.call_sid, format)
  return { account_sid, call_sid: call.call_sid, path, ...(await saved(path)) }
}

const listFiles = (account_sid: string): Promise<string[]> =>
  readdir(join(api.services.configuration.dataDir, 'recordings', account_sid), { recursive: true }).catch(() => [])

const unfinished = () => readdir(join(api.services.configuration.dataDir, 'recordings/unfinished')).catch(() => [])

/** Starts a server that only records, with the overridden options of a test. */
const withOwnSocket = async (
  more: Partial<RecordSocketOptions>,
  work: (address: string) => Promise<void>,
): Promise<void> => {
  const { configuration, recordingAccounts, recordings } = api.services
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const keep = acceptRecordings({
    server,
    logger: api.app.log,
    writers: { host: '127.0.0.1' },
    dataDir: configuration.dataDir,
    accounts: recordingAccounts,
    recordings,
    quota: { begin: () => Promise.resolve({ grow: () => true, end: () => Promise.resolve() }) },
    ...more,
  })
  try {
    await work(`ws://127.0.0.1:${getPort(server)}`)
  } finally {
    await keep()
    server.close()
  }
}

describe('a recording is returned', () => {
  test.each([8000, 16_000, 48_000])(
    'API-058 as MP3 with both channels and the correct duration (%s Hz)',
    async (sampleRate) => {
      const { headers, content } = await recorded('mp3', tones([440, 1000], 3, sampleRate), sampleRate)
      expect(headers).toMatchObject({ 'content-type': 'audio/mp3', 'content-length': String(content.length) })
      const heard = await hearMp3(content)
      expect(heard.sampleRate).toBe(sampleRate)
      expect(Math.abs(heard.seconds - 3)).toBeLessThan(0.3)
      const [caller = 0, platform = 0] = heard.hertz
      expect(Math.abs(caller - 440)).toBeLessThan(10)
      expect(Math.abs(platform - 1000)).toBeLessThan(10)
    },
  )

  test('API-058 in WAV format with every sample and the correct sizes', async () => {
    const audio = tones([440, 1000], 1.5)
    const { headers, content } = await recorded('wav', audio)
    expect(headers['content-type']).toBe('audio/wav')
    expect(content.subarray(44).equals(audio)).toBe(true)
    expect(content.subarray(0, 4).toString()).toBe('RIFF')
    expect([content.readUInt32LE(4), content.readUInt32LE(40)]).toEqual([audio.length + 36, audio.length])
    expect([content.readUInt16LE(22), content.readUInt32LE(24), content.readUInt16LE(34)]).toEqual([2, 8000, 16])
  })

  test('independent of frame boundaries, and without text messages', async () => {
    const account_sid = await accountWith('wav')
    const call = await startRecording({ url, account_sid })
    const audio = tones([300, 600], 0.5)
    for (let from = 0; from < audio.length; from += 1001) {
      call.socket.send(audio.subarray(from, from + 1001))
      call.socket.send(JSON.stringify({ event: 'dtmf', dtmf: '5', duration: 120 }))
    }
    // An incomplete sample pair at the end.
    call.socket.send(Buffer.from([1, 2, 3]))
    await call.hangUp()
    const { content } = await saved(buildPath(account_sid, call.call_sid, 'wav'))
    expect(content.subarray(44).equals(audio)).toBe(true)
  })

  test('with audio that arrived while the account was looked up', async () => {
    const format = async () => {
      await moment(300)
      return 'wav' as const
    }
    await withOwnSocket({ accounts: { ...api.services.recordingAccounts, format } }, async (address) => {
      const account_sid = await accountWith('wav')
      const call = await startRecording({ url: address, account_sid })
      const audio = tones([300, 600], 30)
      await call.say(audio)
      await call.hangUp()
      const { content } = await saved(buildPath(account_sid, call.call_sid, 'wav'))
      expect(content.subarray(44).equals(audio)).toBe(true)
    })
  })

  test('with the audio received until the connection broke', async () => {
    const account_sid = await accountWith('wav')
    const call = await startRecording({ url, account_sid })
    const audio = tones([300, 600], 1)
    await call.say(audio)
    await moment(100)
    call.socket.terminate()
    const { content } = await saved(buildPath(account_sid, call.call_sid, 'wav'))
    expect(content.readUInt32LE(40)).toBe(content.length - 44)
    expect(content.length).toBeGreaterThan(44)
  })

  test('only if it contains audio', async () => {
    const account_sid = await accountWith()
    const call = await startRecording({ url, account_sid })
    await call.hangUp()
    await expect.poll(unfinished).toEqual([])
    expect((await ask(buildPath(account_sid, call.call_sid, 'mp3'))).status).toBe(404)
    expect(await listFiles(account_sid)).toEqual([])
  })
})

describe('range requests (RFC 9110 §14)', () => {
  let path: string
  let whole: Buffer
  beforeAll(async () => {
    const recording = await recorded('wav', tones([440, 1000], 0.5))
    path = recording.path
    whole = recording.content
  })

  test.each([
    ['bytes=0-99', 0, 99],
    ['bytes=1000-1999', 1000, 1999],
    ['bytes=16000-', 16_000, 16_043],
    ['bytes=-44', 16_000, 16_043],
    ['bytes=-999999', 0, 16_043],
    ['bytes=16043-999999', 16_043, 16_043],
  ])('%s', async (range, first, last) => {
    const { status, headers, content } = await ask(path, { range })
    expect(status).toBe(206)
    expect(headers).toMatchObject({
      'content-range': `bytes ${first}-${last}/16044`,
      'content-length': String(last - first + 1),
      'content-type': 'audio/wav',
    })
    expect(content.equals(whole.subarray(first, last + 1))).toBe(true)
  })

  test.each(['bytes=16044-', 'bytes=999999-9999999', 'bytes=-0'])('%s is not satisfiable: 416', async (range) => {
    const { status, headers } = await ask(path, { range })
    expect([status, headers['content-range']]).toEqual([416, 'bytes */16044'])
    expect(headers['content-type']).toMatch('application/json')
  })

  test.each(['bytes=9-3', 'bytes=', 'bytes=a-b', 'bytes=0-1,5-6', 'lines=0-1', `bytes=${'9'.repeat(400)}x-`])(
    '%s is no range that is understood: all of it',
    async (range) => {
      const { status, headers, content } = await ask(path, { range })
      expect([status, headers['accept-ranges'], content.length]).toEqual([200, 'bytes', 16_044])
    },
  )

  test('return the complete recording for an unknown version (If-Range)', async () => {
    expect((await ask(path, { range: 'bytes=0-1', 'if-range': '"1"' })).status).toBe(200)
  })

  test('with HEAD return only the length', async () => {
    const { status, headers, content } = await ask(path, { range: 'bytes=0-1' }, 'HEAD')
    expect([status, headers['content-length'], content.length]).toEqual([200, '16044', 0])
  })
})

describe('access to a recording', () => {
  test('is denied to other tenants on every path', async () => {
    const { account_sid, call_sid } = await recorded('mp3', tones([440, 1000], 0.3))
    const call = callRecord(account_sid, { call_sid, service_provider_sid })
    const sibling = await accountWith()
    const otherProvider = await api.provider()
    const ofProvider = (sid: string) =>
      buildPath(account_sid, call_sid, 'mp3').replace(/Accounts\/[^/]+/, `ServiceProviders/${sid}`)
    // The provider's call records determine the account.
    expect((await ask(ofProvider(service_provider_sid))).status).toBe(404)
    await api.sinks.calls.store([call])
    expect((await ask(ofProvider(service_provider_sid))).status).toBe(200)
    expect((await ask(ofProvider(otherProvider))).status).toBe(404)
    expect((await ask(buildPath(sibling, call_sid, 'mp3'))).status).toBe(404)
    expect((await api.admin.delete(buildPath(sibling, call_sid, 'mp3'))).status).toBe(404)
    const user = await api.user({ account_sid: sibling })
    expect((await user.caller.get(buildPath(account_sid, call_sid, 'mp3'))).status).toBe(403)
  })

  test.each([
    ['another format', (path: string) => path.replace(/mp3$/, 'wav')],
    ['no format', (path: string) => path.replace(/mp3$/, 'exe')],
    ['no date', (path: string) => path.replace(/record\/\d+\/\d+/, 'record/2026/13')],
    ['a path in place of a year', (path: string) => path.replace(/record\/\d+/, 'record/%2e%2e%2f%2e%2e')],
    [
      'a path in place of a call',
      (path: string) => path.replace(/RecentCalls\/[^/]+/, 'RecentCalls/..%2f..%2fsecrets'),
    ],
    ['two days later', (path: string) => path.replace(/record\/.*/, `record/${formatDay(2).replaceAll('-', '/')}/mp3`)],
  ])('%s: 404', async (_, other) => {
    const account_sid = await accountWith()
    const path = `/Accounts/${account_sid}${await storeRecordedCall(api, { account_sid, service_provider_sid })}`
    expect((await ask(path)).status).toBe(200)
    expect((await ask(other(path))).status).toBe(404)
  })
})

test.each([-1, 1])('a call that crosses midnight finds its recording of %s day', async (more) => {
  const { account_sid, call_sid, path } = await recorded('mp3', tones([440, 1000], 0.3))
  expect((await ask(buildPath(account_sid, call_sid, 'mp3', formatDay(more)))).status).toBe(200)
  expect((await api.admin.delete(buildPath(account_sid, call_sid, 'mp3', formatDay(more)))).status).toBe(204)
  expect((await ask(path)).status).toBe(404)
})

test('API-059 a deletion is permanent and recorded in the audit trail, and the call keeps its recording URL', async () => {
  const { account_sid, call_sid, path } = await recorded('mp3', tones([440, 1000], 0.3))
  await api.sinks.calls.store([callRecord(account_sid, { call_sid, service_provider_sid, recording_url: path })])
  expect((await api.admin.delete(path)).status).toBe(204)
  expect((await ask(path)).status).toBe(404)
  expect((await api.admin.delete(path)).status).toBe(404)
  expect((await listFiles(account_sid)).filter((name) => name.endsWith('.mp3'))).toEqual([])
  const { text } = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${call_sid}`)
  expect(text).toContain('recording')
  const [call] = await api.services.calls.find({ account_sid }, { call_sid })
  expect(call?.recording_url).toBe(path)
})

test('an account is deleted with its recordings', async () => {
  const { account_sid } = await recorded('mp3', tones([440, 1000], 0.3))
  expect(await listFiles(account_sid)).not.toEqual([])
  expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  await expect.poll(() => listFiles(account_sid)).toEqual([])
})

test('recordings older than the retention period are deleted', async () => {
  const { account_sid, call_sid, path } = await recorded('mp3', tones([440, 1000], 0.3))
  const { dataDir } = api.services.configuration
  const folder = join(dataDir, 'recordings', account_sid)
  const old = join(folder, '2020/01/31', `${call_sid}.mp3`)
  await mkdir(dirname(old), { recursive: true })
  await rename(join(folder, formatDay().replaceAll('-', '/'), `${call_sid}.mp3`), old)
  expect((await readFile(old)).length).toBeGreaterThan(0)
  const { call_sid: another } = await startRecording({ url, account_sid }).then(async (call) => {
    await call.say(tones([440, 1000], 0.3))
    await call.hangUp()
    return call
  })
  await saved(buildPath(account_sid, another, 'mp3'))
  await removeRecordingsBefore(dataDir, Date.now() - 86_400_000)
  expect((await ask(buildPath(account_sid, call_sid, 'mp3', '2020-01-31'))).status).toBe(404)
  expect(await readdir(folder)).toEqual([formatDay().slice(0, 4)])
  expect((await ask(path)).status).toBe(404)
  expect((await ask(buildPath(account_sid, another, 'mp3'))).status).toBe(200)
})

const getUpgradeStatus = async (address: string, headers: Record<string, string> = {}): Promise<number> => {
  const socket = openRecordSocket(address, { headers })
  socket.on('error', () => {})
  const status = await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => Number(statusCode)),
  ])
  socket.terminate()
  return status
}

describe('authentication of recording clients', () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('local programs are accepted, but no web pages and no other paths', async () => {
    expect(await getUpgradeStatus(`${url}/record/s3`)).toBe(101)
    expect(await getUpgradeStatus(`${url}/v1/Accounts`)).toBe(404)
    expect(await getUpgradeStatus(`${url}/record/s3`, { origin: 'https://evil.example' })).toBe(403)
    expect(await getUpgradeStatus(`${url}/record/s3`, { host: 'evil.example' })).toBe(403)
    // A proxy on this machine connects from here too.
    for (const header of ['x-forwarded-for', 'forwarded'])
      expect(await getUpgradeStatus(`${url}/record/s3`, { [header]: 'for=192.0.2.1' })).toBe(403)
  })

  test('remote clients need credentials', async () => {
    const set = { JAMBONZ_RECORD_WS_USERNAME: 'recorder', JAMBONZ_RECORD_WS_PASSWORD: 'pass:word' }
    const other = await createTestApi(set)
    const open = await createTestApi({ HOST: '0.0.0.0' })
    try {
      const [address, openAddress] = await Promise.all(
        [other, open].map(async ({ app }) => (await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')),
      )
      const path = `${address}/record/s3`
      expect(await getUpgradeStatus(path)).toBe(403)
      expect(await getUpgradeStatus(path, basic('recorder:wrong'))).toBe(403)
      expect(await getUpgradeStatus(path, basic('recorder:pass:word'))).toBe(101)
      expect(await getUpgradeStatus(`${openAddress}/record/s3`)).toBe(403)
    } finally {
      await other.close()
      await open.close()
    }
  })

  test.each([
    ['no JSON', 'nonsense', 1007],
    ['no call', JSON.stringify({ accountSid: randomUUID() }), 1007],
    ['a path for a call', JSON.stringify({ accountSid: randomUUID(), callSid: '../../x' }), 1007],
    [
      'a sample rate that is none',
      JSON.stringify({ accountSid: randomUUID(), callSid: randomUUID(), sampleRate: 1 }),
      1007,
    ],
    ['nobody’s account', JSON.stringify({ accountSid: randomUUID(), callSid: randomUUID() }), 1008],
  ])('%s closes the connection with %s', async (_, text, code) => {
    const socket = openRecordSocket(`${url}/record/s3`)
    await once(socket, 'open')
    const closed = once(socket, 'close')
    socket.send(text)
    const [closeCode, reason] = await closed
    expect(closeCode).toBe(code)
    expect(String(reason)).not.toBe('')
  })
})

describe('limits', () => {
  test('the number of sockets is limited in total and per account', async () => {
    await withOwnSocket({ limits: { sockets: 3, socketsPerAccount: 1 } }, async (address) => {
      const [one, two, three] = [await accountWith('wav'), await accountWith('wav'), await accountWith('wav')]
      const first = await startRecording({ url: address, account_sid: one })
      await first.say(tones([300, 600], 0.1))
      await expect.poll(unfinished).toHaveLength(1)
      const second = await startRecording({ url: address, account_sid: one })
      expect(await second.closed).toEqual([1013, 'too many recordings of this account at a time'])
      const others = await Promise.all([two, three].map((account_sid) => startRecording({ url: address, account_sid })))
      await expect.poll(() => getUpgradeStatus(`${address}/record/s3`)).toBe(503)
      for (const { hangUp } of [first, ...others]) await hangUp()
      expect((await saved(buildPath(one, first.call_sid, 'wav'))).content).toHaveLength(44 + 3200)
      await expect.poll(unfinished).toEqual([])
      expect(await getUpgradeStatus(`${address}/record/s3`)).toBe(101)
    })
  })

  test('a silent connection is closed, and a recording ends at its maximum length', async () => {
    await withOwnSocket({ limits: { metadataSeconds: 0.2, seconds: 0.5 } }, async (address) => {
      const silent = openRecordSocket(`${address}/record/s3`)
      const [code, reason] = await once(silent, 'close')
      expect([code, String(reason)]).toEqual([1008, 'no metadata received'])
      const account_sid = await accountWith('wav')
      const long = await startRecording({ url: address, account_sid })
      await long.say(tones([300, 600], 0.1))
      expect(await long.closed).toEqual([1000, 'the recording exceeds the maximum length'])
      expect((await saved(buildPath(account_sid, long.call_sid, 'wav'))).content).toHaveLength(44 + 3200)
    })
  })

  test('a recording is stored if its client disappears', async () => {
    await withOwnSocket({ limits: { idleSeconds: 0.3 } }, async (address) => {
      const account_sid = await accountWith('wav')
      const call = await startRecording({ url: address, account_sid, options: { autoPong: false } })
      await call.say(tones([300, 600], 0.1))
      expect((await call.closed)[0]).toBe(1006)
      expect((await saved(buildPath(account_sid, call.call_sid, 'wav'))).content).toHaveLength(44 + 3200)
    })
  })
})

test('recordings in progress are stored when the server stops', async () => {
  const other = await createTestApi()
  const { dataDir } = other.services.configuration
  const address = (await other.app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')
  const account_sid = await other.account(await other.provider(), { record_format: 'wav' })
  const call = await startRecording({ url: address, account_sid })
  await call.say(tones([300, 600], 0.5))
  await expect.poll(() => readdir(join(dataDir, 'recordings/unfinished')).catch(() => [])).toHaveLength(1)
  await moment(200)
  await other.app.close()
  expect((await call.closed)[0]).toBe(1001)
  const file = join(dataDir, 'recordings', account_sid, formatDay().replaceAll('-', '/'), `${call.call_sid}.wav`)
  expect((await readFile(file)).length).toBe(44 + 16_000)
  await other.close()
})
