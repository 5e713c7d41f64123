import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { type Credential, type SpeechVendor, textField, VendorError } from '../speech.ts'
import { pcm, sampleRate } from '../test-audio.ts'
import { parseJson } from '../vendor-http.ts'

/**
 * SoundHound's transcription over WebSocket (houndify.com). The messages are those of
 * docs/reference/platform-api/speech-vendor-requests.md#recognition-tests.
 */

const cloud = 'wss://apiws-polaris.houndify.com/v2/transcription'

const frame = 3200

const message = z.object({
  status: z.string().nullish(),
  nonce: z.string().nullish(),
  type: z.string().nullish(),
  error: z.unknown().optional(),
})

const transcriptTypes = ['PartialTranscript', 'FinalSegmentTranscript', 'FinalTranscript']

/** Base64url with its padding. */
const signed = (nonce: string, key: string): string =>
  createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(nonce)
    .digest('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

const opening = (credential: Credential, nonce: string): object[] => {
  const client_id = textField(credential, 'client_id')
  return [
    { version: '1.1', access_id: client_id, signature: signed(nonce, textField(credential, 'client_key')) },
    {
      client_id,
      sdk: 'patchbay',
      audiofmt: { type: 'S16LE', sample_rate: sampleRate },
      model: 'base_8k',
      segmentation: { mode: 'none' },
      voice_activity_detection: false,
    },
  ]
}

export const houndify: SpeechVendor = {
  async testStt(credential, { outgoing, stop }) {
    const socket = await outgoing.connect(textField(credential, 'houndify_server_uri') || cloud, { stop })
    let isSignedIn = false
    let isSpoken = false
    try {
      for await (const content of socket.messages) {
        const { status, nonce, type, error } = parseJson({ body: Buffer.from(content) }, message)
        if (error !== undefined && error !== null)
          throw new VendorError(`Houndify error: ${typeof error === 'string' ? error : JSON.stringify(error)}`)
        if (status && status !== 'ok') throw new VendorError(`Houndify error: ${status}`)
        if (type && transcriptTypes.includes(type)) return 'ok'
        if (nonce) {
          if (isSignedIn) throw new VendorError('Houndify asked for a second signature')
          isSignedIn = true
          for (const part of opening(credential, nonce)) await socket.send(JSON.stringify(part))
        }
        if (type === 'QueryIDMessage') {
          if (isSpoken) throw new VendorError('Houndify asked for the audio twice')
          isSpoken = true
          for (let start = 0; start < pcm.length; start += frame) await socket.send(pcm.subarray(start, start + frame))
          await socket.send('Done')
        }
      }
      throw new VendorError('The vendor closed the connection before it understood anything')
    } finally {
      socket.close()
    }
  },
}
