import { isDeepStrictEqual } from 'node:util'
import { type FakeVendor, isRecording, parseJsonBody } from './fake-vendor.ts'

const key = 'gladia-key-of-the-tests'
const session = 'gladia-session-of-the-tests'

const audio = { encoding: 'wav/pcm', sample_rate: 8000, bit_depth: 16, channels: 1 }

const transcript = (is_final: boolean) => ({
  type: 'transcript',
  session_id: session,
  data: { id: '00_00000000', is_final, utterance: { text: 'Patchbay is testing this speech service.' } },
})

export const gladia: FakeVendor = {
  name: 'gladia',
  hosts: ['api.gladia.io'],
  credential: { api_key: key, region: 'eu-west' },
  checked: { api_key: ['stt'], region: ['stt'] },

  answer(request) {
    const { method, url, headers } = request
    if (`${method} ${url.pathname}` !== 'POST /v2/live') return { status: 404 }
    if (headers['x-gladia-key'] !== key) return { status: 401, body: { message: 'gladia key not found' } }
    if (!['us-west', 'eu-west'].includes(url.searchParams.get('region') ?? '')) return { status: 422 }
    const { encoding, sample_rate, bit_depth, channels, model } = parseJsonBody(request)
    if (model !== 'solaria-1' || !isDeepStrictEqual({ encoding, sample_rate, bit_depth, channels }, audio))
      return { status: 422, body: { message: 'validation failed' } }
    return { status: 201, body: { id: session, url: `wss://api.gladia.io/v2/live?token=${session}` } }
  },

  talk(socket, { url }) {
    if (url.pathname !== '/v2/live' || url.searchParams.get('token') !== session)
      return socket.close(4401, 'Session not found')
    const heard: Buffer[] = []
    const send = (message: object) => socket.send(JSON.stringify(message))
    socket.on('message', (data, isBinary) => {
      if (isBinary) {
        heard.push(data as Buffer)
        return send({ type: 'audio_chunk', acknowledged: true, error: null, data: { byte_range: [0, heard.length] } })
      }
      if ((data as Buffer).toString() !== '{"type":"stop_recording"}') return socket.close(4400, 'Unknown message')
      send({ type: 'stop_recording', acknowledged: true, error: null, data: { recording_duration: 2 } })
      if (isRecording(Buffer.concat(heard))) [false, true].forEach((final) => send(transcript(final)))
      socket.close(1000)
    })
  },
}
