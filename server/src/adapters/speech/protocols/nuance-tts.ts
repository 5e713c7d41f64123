import { loadService } from '../grpc.ts'

/** The part of Nuance's nuance.tts.v1 (synthesizer.proto) that Patchbay uses. */
const protocol = {
  nested: {
    'nuance.tts.v1': {
      nested: {
        Synthesizer: {
          methods: {
            GetVoices: { requestType: 'GetVoicesRequest', responseType: 'GetVoicesResponse' },
            UnarySynthesize: { requestType: 'SynthesisRequest', responseType: 'UnarySynthesisResponse' },
          },
        },
        Voice: {
          fields: {
            name: { type: 'string', id: 1 },
            model: { type: 'string', id: 2 },
            language: { type: 'string', id: 3 },
          },
        },
        GetVoicesRequest: { fields: { voice: { type: 'Voice', id: 1 } } },
        GetVoicesResponse: { fields: { voices: { rule: 'repeated', type: 'Voice', id: 1 } } },
        PCM: { fields: { sampleRateHz: { type: 'uint32', id: 1 } } },
        AudioFormat: { fields: { pcm: { type: 'PCM', id: 1 } } },
        AudioParameters: { fields: { audioFormat: { type: 'AudioFormat', id: 1 } } },
        Text: { fields: { text: { type: 'string', id: 1 } } },
        SSML: { fields: { text: { type: 'string', id: 1 } } },
        Input: { fields: { text: { type: 'Text', id: 1 }, ssml: { type: 'SSML', id: 2 } } },
        SynthesisRequest: {
          fields: {
            voice: { type: 'Voice', id: 1 },
            audioParams: { type: 'AudioParameters', id: 2 },
            input: { type: 'Input', id: 3 },
          },
        },
        Status: {
          fields: {
            code: { type: 'uint32', id: 1 },
            message: { type: 'string', id: 2 },
            details: { type: 'string', id: 3 },
          },
        },
        UnarySynthesisResponse: { fields: { status: { type: 'Status', id: 1 }, audio: { type: 'bytes', id: 3 } } },
      },
    },
  },
}

export const synthesizer = loadService(protocol, 'nuance.tts.v1.Synthesizer')
