import { z } from 'zod'
import { callGrpc } from '../grpc.ts'
import { synthesis } from '../protocols/riva-tts.ts'
import { type SpeechVendor, textField, VendorError } from '../speech.ts'
import { sampleRate } from '../test-audio.ts'

/** Nvidia Riva (docs.nvidia.com/deeplearning/riva) on a user's own server. There is no credential test. */

const synthesisResponse = z.object({ audio: z.instanceof(Buffer) })

export const nvidia: SpeechVendor = {
  async synthesize(credential, { text, language, voice }, context) {
    const { audio } = synthesisResponse.parse(
      await callGrpc(context, {
        url: `http://${textField(credential, 'riva_server_uri')}`,
        service: synthesis,
        method: 'Synthesize',
        message: {
          text,
          languageCode: language,
          encoding: 'LINEAR_PCM',
          sampleRateHz: sampleRate,
          voiceName: voice,
        },
      }),
    )
    if (audio.length === 0) throw new VendorError('The vendor answered without audio')
    return { type: 'pcm', content: audio, sampleRate }
  },
}
