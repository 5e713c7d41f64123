import { type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js'
import { synthesis } from '@patchbay/server/adapters/speech/protocols/riva-tts'
import { type FakeVendor, pcm } from './fake-vendor.ts'
import { refusal } from './grpc-server.ts'

const host = 'riva.example.com'

interface Asked {
  text: string
  languageCode: string
  encoding: number
  sampleRateHz: number
  voiceName: string
}

const linearPcm = 1

const synthesize = ({ request }: ServerUnaryCall<Asked, object>, done: sendUnaryData<object>): void => {
  const { text, languageCode, encoding, sampleRateHz, voiceName } = request
  if (languageCode !== 'en-US' || voiceName !== 'English-US.Female-1')
    return done(refusal(status.INVALID_ARGUMENT, 'Error: Model is not available on server'))
  if (text === '' || encoding !== linearPcm || sampleRateHz !== 8000)
    return done(refusal(status.INVALID_ARGUMENT, 'Error: The request is not valid'))
  done(null, { audio: pcm })
}

export const nvidia: FakeVendor = {
  name: 'nvidia',
  hosts: [],
  credential: { riva_server_uri: `${host}:50051` },
  checked: {},
  grpc: { hosts: [host], serve: (server) => server.addService(synthesis, { Synthesize: synthesize }) },
}
