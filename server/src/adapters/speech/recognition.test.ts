import { startFakeVendorServer } from '@patchbay/testkit/speech/fake-vendor-server'
import { sonioxFiles } from '@patchbay/testkit/speech/soniox'
import { fakeVendors } from '@patchbay/testkit/speech/vendors'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createOutgoing, type Outgoing } from '../outbound-http/outgoing.ts'
import { testCredential } from './test-credential.ts'

/** Recognition that takes more than one request or message (api/3-speech.md §2.7.3). */

const vendorServer = await startFakeVendorServer()
afterAll(() => vendorServer.stop())
beforeEach(() => {
  vendorServer.taken()
})

const outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: vendorServer.addresses })

const hear = async (name: string, by: Outgoing = outgoing, more: object = {}, seconds?: number) => {
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  return testCredential(name, 'stt', { ...fake?.credential, ...more }, by, seconds)
}

/** A vendor that answers one of its addresses with something else. */
const answering = (part: RegExp, body: object): Outgoing => ({
  ...outgoing,
  async send(url, request) {
    if (!part.test(url) || request.method !== undefined) return outgoing.send(url, request)
    return { status: 200, statusText: 'OK', headers: {}, body: Buffer.from(JSON.stringify(body)) }
  },
})

/** A socket on which these messages come; where it was opened is kept. */
const telling = (...messages: string[]) => {
  const opened: string[] = []
  const by: Outgoing = {
    ...outgoing,
    async connect(url) {
      opened.push(url)
      const incoming = (async function* () {
        yield* messages
      })()
      return { send: () => Promise.resolve(), close() {}, messages: incoming }
    },
  }
  return { by, opened }
}

const fail = (reason: string) => ({ status: 'fail', reason })

describe('Soniox', () => {
  const nothing = { files: new Set(), transcriptions: new Map() }

  test('is left with nothing', async () => {
    expect(await hear('soniox')).toEqual({ status: 'ok' })
    expect(sonioxFiles).toEqual(nothing)
  })

  test.each([
    ['it heard nothing', /transcript$/, { text: ' ' }, 'no transcript returned'],
    [
      'it could not',
      /transcriptions\/[\w-]+$/,
      { status: 'error', error_message: 'Audio is broken' },
      'Audio is broken',
    ],
    ['it has no model', /models$/, { models: [] }, 'The vendor offers no model that transcribes files'],
  ])('fails where %s, and is left with nothing', async (_, part, body, reason) => {
    expect(await hear('soniox', answering(part, body))).toEqual(fail(reason))
    expect(sonioxFiles).toEqual(nothing)
  })

  test('is left with nothing when time runs out, too', async () => {
    const never = answering(/transcriptions\/[\w-]+$/, { status: 'processing' })
    expect(await hear('soniox', never, {}, 0.3)).toEqual(fail('The vendor did not answer in time'))
    await expect.poll(() => sonioxFiles).toEqual(nothing)
  })
})

describe('AssemblyAI', () => {
  test('is looked at again until it is done', async () => {
    expect(await hear('assemblyai')).toEqual({ status: 'ok' })
    const [upload, start, ...looks] = vendorServer.taken()
    expect([upload, start]).toEqual([
      'POST https://api.assemblyai.com/v2/upload',
      'POST https://api.assemblyai.com/v2/transcript',
    ])
    expect(looks.length).toBe(2)
  })

  test('fails with its own words', async () => {
    const by = answering(/transcript\/[\w-]+$/, { id: '1', status: 'error', error: 'Audio is broken' })
    expect(await hear('assemblyai', by)).toEqual(fail('Audio is broken'))
  })
})

describe('Speechmatics', () => {
  test.each([
    ['neu.rt.speechmatics.com', 'wss://neu.rt.speechmatics.com/v2'],
    ['asr.example.com:9000', 'wss://asr.example.com:9000/v2'],
    ['ws://asr.example.com:9000/', 'ws://asr.example.com:9000/v2'],
    ['wss://asr.example.com/v2', 'wss://asr.example.com/v2'],
  ])('is asked where it is: %s', async (speechmatics_stt_uri, url) => {
    const { by, opened } = telling('{"message":"EndOfTranscript"}')
    expect(await hear('speechmatics', by, { speechmatics_stt_uri })).toEqual({ status: 'ok' })
    expect(opened).toEqual([url])
  })

  test.each([
    [['{"message":"Error","type":"quota_exceeded","reason":"Too many"}'], 'Too many'],
    [['{"message":"Error","type":"quota_exceeded"}'], 'quota_exceeded'],
    [['{"message":"Warning","reason":"Slow"}'], 'The vendor closed the connection before the end of the transcript'],
    [['{}'], 'The vendor answered with something else than it should'],
  ])('of %j fails: %s', async (messages, reason) => {
    expect(await hear('speechmatics', telling(...messages).by)).toEqual(fail(reason))
  })
})

test.each([
  ['a key', { api_key: 'wrong' }, 'Unauthorized'],
  ['an address', { speechmatics_stt_uri: 'eu2.rt.speechmatics.com/v1' }, 'Not Found'],
])('Speechmatics tells of %s that is wrong', async (_, more, reason) => {
  expect(await hear('speechmatics', outgoing, more)).toEqual(fail(reason))
})

describe('Houndify', () => {
  const partial = '{"type":"PartialTranscript","transcript":"patch"}'

  test.each([
    [undefined, 'wss://apiws-polaris.houndify.com/v2/transcription'],
    ['wss://hound.example.com/v2/transcription', 'wss://hound.example.com/v2/transcription'],
  ])('is asked where it is: %s', async (houndify_server_uri, url) => {
    const { by, opened } = telling(partial)
    expect(await hear('houndify', by, { houndify_server_uri })).toEqual({ status: 'ok' })
    expect(opened).toEqual([url])
  })

  test.each([
    [['{"status":"error","error":"Quota"}'], 'Houndify error: Quota'],
    [['{"error":{"code":7}}'], 'Houndify error: {"code":7}'],
    [['{"status":"unavailable"}'], 'Houndify error: unavailable'],
    [[], 'The vendor closed the connection before it understood anything'],
    [['<html>'], 'The vendor answered with something else than it should'],
  ])('of %j fails: %s', async (messages, reason) => {
    expect(await hear('houndify', telling(...messages).by)).toEqual(fail(reason))
  })

  test('tells of a client that is not let in', async () => {
    expect(await hear('houndify', outgoing, { client_key: 'wrong' })).toEqual(
      fail('Houndify error: Authentication failed'),
    )
  })
})

test('Voxist tells of a key that is wrong', async () => {
  expect(await hear('voxist', outgoing, { api_key: 'wrong' })).toEqual(fail('failed to get clients'))
})
