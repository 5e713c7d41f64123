import { z } from 'zod'
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.ts'
import { type SpeechVendor, textField, VendorError } from '../speech.ts'
import { wav } from '../test-audio.ts'
import { parseJson } from '../vendor-http.ts'

/**
 * Speechmatics' real-time API (docs.speechmatics.com/api-ref/realtime-transcription-websocket), in its cloud or on
 * premise.
 */

const frameBytes = 8192

const message = z.object({ message: z.string(), type: z.string().nullish(), reason: z.string().nullish() })

const start = {
  message: 'StartRecognition',
  audio_format: { type: 'file' },
  transcription_config: { language: 'en', operating_point: 'enhanced', enable_partials: true, max_delay: 2 },
}

/** Returns the WebSocket URL of a stored host. A host on premise may be stored with `ws://` if it does not use TLS. */
const createUrl = (host: string): string =>
  `${/^\w+:\/\//.test(host) ? '' : 'wss://'}${withoutTrailingSlashes(host).replace(/\/v2$/, '')}/v2`

const frames = Array.from({ length: Math.ceil(wav.length / frameBytes) }, (_, index) =>
  wav.subarray(index * frameBytes, (index + 1) * frameBytes),
)

export const speechmatics: SpeechVendor = {
  async testStt(credential, { outgoing, stop }) {
    const headers = { authorization: `Bearer ${textField(credential, 'api_key')}` }
    const socket = await outgoing.connect(createUrl(textField(credential, 'speechmatics_stt_uri')), { headers, stop })
    let hasStarted = false
    try {
      await socket.send(JSON.stringify(start))
      for await (const content of socket.messages) {
        const { message: kind, type, reason } = parseJson({ body: Buffer.from(content) }, message)
        if (kind === 'Error') throw new VendorError(reason || type || 'The vendor reported an error')
        if (kind === 'EndOfTranscript') return 'ok'
        if (kind === 'RecognitionStarted') {
          if (hasStarted) throw new VendorError('The vendor started the recognition twice')
          hasStarted = true
          for (const part of frames) await socket.send(part)
          await socket.send(JSON.stringify({ message: 'EndOfStream', last_seq_no: frames.length }))
        }
      }
      throw new VendorError('The vendor closed the connection before the end of the transcript')
    } finally {
      socket.close()
    }
  },
}
