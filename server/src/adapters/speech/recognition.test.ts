import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { sonioxFiles } from '@patchbay/testkit/fakes/speech/soniox'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import { testCredential } from './test-credential.ts'

/**
 * Recognition tests that take more than one request or message
 * (docs/reference/platform-api/speech-vendor-requests.md#recognition-tests).
 */

const { vendorServer, outgoing } = await connectFakeVendors()
beforeEach(() => {
  vendorServer.taken()
})

const testRecognition = async (
  name: string,
  transport: Outgoing = outgoing,
  overrides: object = {},
  seconds?: number,
) => {
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  return testCredential(name, 'stt', { ...fake?.credential, ...overrides }, transport, seconds)
}

/** Replaces the response of one of the vendor's addresses. */
const withResponse = (part: RegExp, body: object): Outgoing => ({
  ...outgoing,
  async send(url, request) {
    if (!part.test(url) || request.method !== undefined) return outgoing.send(url, request)
    return { status: 200, statusText: 'OK', headers: {}, body: Buffer.from(JSON.stringify(body)) }
  },
})

/** Replaces the WebSocket by one that receives these messages. Records the URLs that were opened. */
const withMessages = (...messages: string[]) => {
  const openedUrls: string[] = []
  const transport: Outgoing = {
    ...outgoing,
    async connect(url) {
      openedUrls.push(url)
      const incoming = (async function* () {
        yield* messages
      })()
      return { send: () => Promise.resolve(), close() {}, messages: incoming }
    },
  }
  return { by: transport, opened: openedUrls }
}

const fail = (reason: string) => ({ status: 'fail', reason })

describe('Soniox', () => {
  const empty = { files: new Set(), transcriptions: new Map() }

  test('deletes the file and the transcription after the test', async () => {
    expect(await testRecognition('soniox')).toEqual({ status: 'ok' })
    expect(sonioxFiles).toEqual(empty)
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
  ])('fails if %s, and deletes the file and the transcription', async (_, part, body, reason) => {
    expect(await testRecognition('soniox', withResponse(part, body))).toEqual(fail(reason))
    expect(sonioxFiles).toEqual(empty)
  })

  test('deletes the file and the transcription after a timeout', async () => {
    const pendingForever = withResponse(/transcriptions\/[\w-]+$/, { status: 'processing' })
    expect(await testRecognition('soniox', pendingForever, {}, 0.3)).toEqual(fail('The vendor did not answer in time'))
    await expect.poll(() => sonioxFiles).toEqual(empty)
  })
})

describe('AssemblyAI', () => {
  test('polls until the transcript is completed', async () => {
    expect(await testRecognition('assemblyai')).toEqual({ status: 'ok' })
    const [upload, start, ...polls] = vendorServer.taken()
    expect([upload, start]).toEqual([
      'POST https://api.assemblyai.com/v2/upload',
      'POST https://api.assemblyai.com/v2/transcript',
    ])
    expect(polls.length).toBe(2)
  })

  test("reports the vendor's error message", async () => {
    const transport = withResponse(/transcript\/[\w-]+$/, { id: '1', status: 'error', error: 'Audio is broken' })
    expect(await testRecognition('assemblyai', transport)).toEqual(fail('Audio is broken'))
  })
})

describe('Speechmatics', () => {
  test.each([
    ['neu.rt.speechmatics.com', 'wss://neu.rt.speechmatics.com/v2'],
    ['asr.example.com:9000', 'wss://asr.example.com:9000/v2'],
    ['ws://asr.example.com:9000/', 'ws://asr.example.com:9000/v2'],
    ['wss://asr.example.com/v2', 'wss://asr.example.com/v2'],
  ])('connects to the stored address: %s', async (speechmatics_stt_uri, url) => {
    const { by, opened } = withMessages('{"message":"EndOfTranscript"}')
    expect(await testRecognition('speechmatics', by, { speechmatics_stt_uri })).toEqual({ status: 'ok' })
    expect(opened).toEqual([url])
  })

  test.each([
    [['{"message":"Error","type":"quota_exceeded","reason":"Too many"}'], 'Too many'],
    [['{"message":"Error","type":"quota_exceeded"}'], 'quota_exceeded'],
    [['{"message":"Warning","reason":"Slow"}'], 'The vendor closed the connection before the end of the transcript'],
    [['{}'], 'The vendor returned an unexpected response'],
  ])('fails for %j: %s', async (messages, reason) => {
    expect(await testRecognition('speechmatics', withMessages(...messages).by)).toEqual(fail(reason))
  })
})

test.each([
  ['a key', { api_key: 'wrong' }, 'Unauthorized'],
  ['an address', { speechmatics_stt_uri: 'eu2.rt.speechmatics.com/v1' }, 'Not Found'],
])('Speechmatics reports %s that is wrong', async (_, more, reason) => {
  expect(await testRecognition('speechmatics', outgoing, more)).toEqual(fail(reason))
})

describe('Houndify', () => {
  const partial = '{"type":"PartialTranscript","transcript":"patch"}'

  test.each([
    [undefined, 'wss://apiws-polaris.houndify.com/v2/transcription'],
    ['wss://hound.example.com/v2/transcription', 'wss://hound.example.com/v2/transcription'],
  ])('connects to the stored address: %s', async (houndify_server_uri, url) => {
    const { by, opened } = withMessages(partial)
    expect(await testRecognition('houndify', by, { houndify_server_uri })).toEqual({ status: 'ok' })
    expect(opened).toEqual([url])
  })

  test.each([
    [['{"status":"error","error":"Quota"}'], 'Houndify error: Quota'],
    [['{"error":{"code":7}}'], 'Houndify error: {"code":7}'],
    [['{"status":"unavailable"}'], 'Houndify error: unavailable'],
    [[], 'The vendor closed the connection before it understood anything'],
    [['<html>'], 'The vendor returned an unexpected response'],
  ])('fails for %j: %s', async (messages, reason) => {
    expect(await testRecognition('houndify', withMessages(...messages).by)).toEqual(fail(reason))
  })

  test('reports rejected client credentials', async () => {
    expect(await testRecognition('houndify', outgoing, { client_key: 'wrong' })).toEqual(
      fail('Houndify error: Authentication failed'),
    )
  })
})

test('Voxist reports a wrong key', async () => {
  expect(await testRecognition('voxist', outgoing, { api_key: 'wrong' })).toEqual(fail('failed to get clients'))
})
