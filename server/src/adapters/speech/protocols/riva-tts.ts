import { loadService } from '../grpc.ts'

/** The part of Nvidia's nvidia.riva.tts (riva_tts.proto, riva_audio.proto) that Patchbay uses. */
const protocol = {
  nested: {
    'nvidia.riva.tts': {
      nested: {
        RivaSpeechSynthesis: {
          methods: {
            Synthesize: { requestType: 'SynthesizeSpeechRequest', responseType: 'SynthesizeSpeechResponse' },
          },
        },
        AudioEncoding: { values: { ENCODING_UNSPECIFIED: 0, LINEAR_PCM: 1 } },
        SynthesizeSpeechRequest: {
          fields: {
            text: { type: 'string', id: 1 },
            languageCode: { type: 'string', id: 2 },
            encoding: { type: 'AudioEncoding', id: 3 },
            sampleRateHz: { type: 'int32', id: 4 },
            voiceName: { type: 'string', id: 5 },
          },
        },
        SynthesizeSpeechResponse: { fields: { audio: { type: 'bytes', id: 1 } } },
      },
    },
  },
}

export const synthesis = loadService(protocol, 'nvidia.riva.tts.RivaSpeechSynthesis')
