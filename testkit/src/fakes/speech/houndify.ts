import { createHmac } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { FakeVendor } from './fake-vendor.ts'

const id = 'houndify-client-of-the-tests'
const key = Buffer.from('the key of a client of Houndify').toString('base64url')

const host = 'apiws-polaris.houndify.com'

const nonce = 'a nonce of the fake'

const signature = createHmac('sha256', Buffer.from(key, 'base64url'))
  .update(nonce)
  .digest('base64')
  .replaceAll('+', '-')
  .replaceAll('/', '_')

const format = { type: 'S16LE', sample_rate: 8000 }

const frame = 3200

/** Returns whether the frames contain raw samples and have the required size. */
const isSpeech = (frames: readonly Buffer[]): boolean =>
  frames.slice(0, -1).every(({ length }) => length === frame) &&
  Buffer.concat(frames).length > 16_000 &&
  frames[0]?.subarray(0, 4).toString() !== 'RIFF'

const talk = (socket: WebSocket): void => {
  const frames: Buffer[] = []
  let step: 'authentication' | 'configuration' | 'audio' = 'authentication'
  const say = (message: object) => socket.send(JSON.stringify(message))
  const fail = (error: string) => {
    say({ status: 'error', error })
    socket.close()
  }

  const take = (text: string): void => {
    if (step === 'audio') {
      if (text !== 'Done' || !isSpeech(frames)) return fail('Bad audio')
      return say({ type: 'FinalSegmentTranscript', transcript: 'patchbay is testing' })
    }
    const message = JSON.parse(text) as Record<string, unknown>
    if (step === 'authentication') {
      if (message['version'] !== '1.1' || message['access_id'] !== id || message['signature'] !== signature)
        return fail('Authentication failed')
      step = 'configuration'
      return
    }
    const isValid = message['client_id'] === id && JSON.stringify(message['audiofmt']) === JSON.stringify(format)
    if (!isValid || message['model'] !== 'base_8k') return fail('Bad request')
    step = 'audio'
    say({ type: 'QueryIDMessage', query_id: 'c0ffee' })
  }

  say({ status: 'ok', nonce })
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return take(data.toString())
    if (step !== 'audio') return fail('Audio came too early')
    frames.push(data)
  })
}

export const houndify: FakeVendor = {
  name: 'houndify',
  hosts: [host],
  credential: { client_id: id, client_key: key, user_id: 'nobody' },
  checked: { client_id: ['stt'], client_key: ['stt'] },
  refuse: ({ url }) => (url.pathname === '/v2/transcription' ? undefined : 404),
  talk,
}
