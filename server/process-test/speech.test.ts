import { enter, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody } from '@patchbay/testkit/crash/durability-ledger'
import { startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { verbio } from '@patchbay/testkit/fakes/speech/verbio'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { expect, test } from 'vitest'

/** Checks that the build contains the modules that are loaded only for speech synthesis. */
test('raw audio becomes MP3', async () => {
  const vendorServer = await startFakeVendorServer()
  const store = sqliteStore()
  const server = await startServer({ ...store.settings, ...vendorServer.environment })
  try {
    const { session } = await enter(server)
    const call = async (method: 'GET' | 'POST', path: string, body?: object) =>
      getBody(await callApi(server, session, method, path, body))
    const [account] = (await call('GET', '/Accounts')) as { account_sid: string }[]
    const path = `/Accounts/${account?.account_sid}`
    const credential = { vendor: verbio.name, ...verbio.credential }
    const { sid } = (await call('POST', `${path}/SpeechCredentials`, credential)) as { sid: string }
    const answer = await fetch(`${server.url}/v1${path}/TtsCache/Synthesize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
      body: JSON.stringify({
        speech_credential_sid: sid,
        text: 'Hello',
        language: 'pt-BR',
        voice: 'bel_pt_br',
        encodingMp3: true,
      }),
    })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    const content = Buffer.from(await answer.arrayBuffer())
    expect(content.readUInt16BE(0) >>> 5).toBe(0x7_ff)
  } finally {
    await server.stop()
    store.remove()
    await vendorServer.stop()
  }
})
