import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { mp3 } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { expect, test } from 'vitest'
import type { Outgoing } from '../outbound-http/outgoing.ts'
import type { Credential } from './speech.ts'
import { testCredential } from './test-credential.ts'
import { microsoft } from './vendors/microsoft.ts'

/**
 * Azure's own service, custom deployments, and containers
 * (docs/reference/platform-api/speech-vendor-requests.md#credentials-of-the-vendors).
 */

const { outgoing, recordingOutgoing, requests } = await connectFakeVendors()

const createContext = () => ({ outgoing: recordingOutgoing, stop: new AbortController().signal })

const hosted = { api_key: 'microsoft-key-of-the-tests', region: 'westus' }

const synthesis = '/cognitiveservices/v1'
const recognition = '/speech/recognition/conversation/cognitiveservices/v1'

const container = 'http://speech.example.com:5000'

const addresses: [what: string, which: 'tts' | 'stt', credential: Credential, url: string][] = [
  ['Azure', 'tts', hosted, `https://westus.tts.speech.microsoft.com${synthesis}`],
  [
    'a deployment',
    'tts',
    { ...hosted, use_custom_tts: 1, custom_tts_endpoint: 'a deployment' },
    `https://westus.voice.speech.microsoft.com${synthesis}?deploymentId=a+deployment`,
  ],
  [
    'a deployment that is off',
    'tts',
    { ...hosted, use_custom_tts: 0, custom_tts_endpoint: 'a deployment' },
    `https://westus.tts.speech.microsoft.com${synthesis}`,
  ],
  [
    'a container, without a key',
    'tts',
    { use_custom_tts: true, custom_tts_endpoint_url: container },
    `${container}${synthesis}`,
  ],
  [
    'the path of a container',
    'tts',
    { ...hosted, use_custom_tts: 1, custom_tts_endpoint_url: `${container}${synthesis}?a=b` },
    `${container}${synthesis}?a=b`,
  ],
  ['Azure', 'stt', hosted, `https://westus.stt.speech.microsoft.com${recognition}?language=en-US`],
  [
    'a deployment',
    'stt',
    { ...hosted, use_custom_stt: 1, custom_stt_endpoint: 'an-id' },
    `https://westus.stt.speech.microsoft.com${recognition}?language=en-US&cid=an-id`,
  ],
  [
    'a container, without a key',
    'stt',
    { use_custom_stt: 1, custom_stt_endpoint_url: 'ws://speech.example.com:5000' },
    `ws://speech.example.com:5000${recognition}?language=en-US`,
  ],
]

test.each(addresses)('%s, %s: sends the request to the right address', async (_, which, credential, url) => {
  expect(await testCredential('microsoft', which, credential, recordingOutgoing)).toEqual({ status: 'ok' })
  expect(requests.map((request) => request.url)).toEqual([url])
})

test.each([
  ['a key', { api_key: 'wrong' }, 'Unauthorized'],
  ['a deployment', { use_custom_tts: 1, custom_tts_endpoint: 'of others' }, 'Not Found'],
])('fails for %s that is wrong', async (_, more, reason) => {
  expect(await testCredential('microsoft', 'tts', { ...hosted, ...more }, recordingOutgoing)).toEqual({
    status: 'fail',
    reason,
  })
})

test('reports a voice that Azure does not know', async () => {
  const phrase = { text: 'Hello', language: 'en-US', voice: 'en-US-UnknownNeural' }
  await expect(microsoft.synthesize?.(hosted, phrase, createContext())).rejects.toThrow('Bad Request')
})

test('fails if Azure recognizes nothing', async () => {
  const outgoingWithoutMatch: Outgoing = {
    ...outgoing,
    send: async () => ({
      status: 200,
      statusText: 'OK',
      headers: {},
      body: Buffer.from('{"RecognitionStatus":"NoMatch"}'),
    }),
  }
  const reason = 'no transcript returned (NoMatch)'
  expect(await testCredential('microsoft', 'stt', hosted, outgoingWithoutMatch)).toEqual({ status: 'fail', reason })
})

const ssmlStart =
  '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xmlns:mstts="https://www.w3.org/2001/mstts" xml:lang="en-US"><voice name="en-US-AvaNeural">'

test.each([
  ['Hello', `${ssmlStart}Hello</voice></speak>`],
  [`<b> & "that's" ]]>`, `${ssmlStart}&lt;b&gt; &amp; &quot;that&apos;s&quot; ]]&gt;</voice></speak>`],
  ['One\u0000\u0007\ntwo', `${ssmlStart}One\ntwo</voice></speak>`],
  [`${ssmlStart}It is &amp; stays</voice></speak>`, `${ssmlStart}It is &amp; stays</voice></speak>`],
])('sends %j as SSML', async (text, body) => {
  const phrase = { text, language: 'en-US', voice: 'en-US-AvaNeural' }
  const audio = await microsoft.synthesize?.(hosted, phrase, createContext())
  expect(audio).toEqual({ type: 'audio/mpeg', content: mp3 })
  expect(requests.map((request) => request.body)).toEqual([body])
})

const staticLists = { tts: [{ value: 'de-DE', name: 'German', voices: [] }], stt: [{ value: 'de-DE', name: 'German' }] }

test('lists the voices by language', async () => {
  expect(await microsoft.lists?.(hosted, staticLists, createContext())).toEqual({
    stt: staticLists.stt,
    tts: [
      {
        value: 'en-US',
        name: 'English (United States)',
        voices: [{ value: 'en-US-AvaNeural', name: 'Ava (Female)' }],
      },
      {
        value: 'cy-GB',
        name: 'Welsh (United Kingdom)',
        voices: [{ value: 'cy-GB-AledNeural', name: 'Aled (Male)' }],
      },
    ],
  })
})

test('returns the static lists for a container without a request', async () => {
  const credential = { use_custom_tts: 1, custom_tts_endpoint_url: container }
  expect(await microsoft.lists?.(credential, staticLists, createContext())).toEqual(staticLists)
  expect(requests).toEqual([])
})

test("reports the vendor's error if the voices cannot be listed", async () => {
  await expect(microsoft.lists?.({ ...hosted, api_key: 'wrong' }, staticLists, createContext())).rejects.toThrow(
    'Unauthorized',
  )
})
