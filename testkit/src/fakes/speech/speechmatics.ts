import type { WebSocket } from 'ws'
import { type FakeVendor, isRecording } from './fake-vendor.ts'

const key = 'speechmatics-key-of-the-tests'

const host = 'eu2.rt.speechmatics.com'

const expectedStart = {
  message: 'StartRecognition',
  audio_format: { type: 'file' },
  transcription_config: { language: 'en', operating_point: 'enhanced', enable_partials: true, max_delay: 2 },
}

/** Binary messages are AddAudio. Each is acknowledged with its sequence number. */
const talk = (socket: WebSocket): void => {
  const frames: Buffer[] = []
  let started = false
  const say = (message: string, more: object = {}) => socket.send(JSON.stringify({ message, ...more }))
  const fail = (type: string, reason: string) => {
    say('Error', { type, reason })
    socket.close(1011)
  }

  const take = (text: string): void => {
    const message = JSON.parse(text) as Record<string, unknown>
    if (!started) {
      started = text === JSON.stringify(expectedStart)
      if (!started) return fail('protocol_error', 'StartRecognition was expected')
      say('Info', { type: 'recognition_quality', reason: 'Running recognition using a telephony model' })
      return say('RecognitionStarted', { id: 'c0ffee' })
    }
    if (message['message'] !== 'EndOfStream' || message['last_seq_no'] !== frames.length)
      return fail('protocol_error', 'last_seq_no is not the number of AddAudio messages')
    if (!isRecording(Buffer.concat(frames))) return fail('invalid_audio_type', 'The audio is no file')
    say('AddTranscript', { metadata: { transcript: 'Patchbay is testing' }, results: [] })
    say('EndOfTranscript')
  }

  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return take(data.toString())
    if (!started) return fail('protocol_error', 'StartRecognition was expected')
    frames.push(data)
    say('AudioAdded', { seq_no: frames.length })
  })
}

export const speechmatics: FakeVendor = {
  name: 'speechmatics',
  hosts: [host],
  credential: { api_key: key, speechmatics_stt_uri: host },
  checked: { api_key: ['stt'] },
  refuse({ url, headers }) {
    if (url.pathname !== '/v2') return 404
    return headers.authorization === `Bearer ${key}` ? undefined : 401
  },
  talk,
}
