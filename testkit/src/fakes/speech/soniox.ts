import {
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  isRecording,
  parseFormBody,
  parseJsonBody,
} from './fake-vendor.ts'

const key = 'soniox-key-of-the-tests'

const refused = (status: number, error_type: string): FakeAnswer => ({
  status,
  body: { status_code: status, error_type, message: 'Refused.', validation_errors: [], request_id: 'c0ffee' },
})

const models = [
  { id: 'stt-rt-v4', aliased_model_id: null, name: 'Speech-to-Text Real-time v4', transcription_mode: 'real_time' },
  { id: 'stt-async-v4', aliased_model_id: null, name: 'Speech-to-Text Async v4', transcription_mode: 'async' },
]

/** Files and transcriptions stored for the key. Clients must delete what they create. */
export const sonioxFiles = { files: new Set<string>(), transcriptions: new Map<string, { statusRequests: number }>() }

const { files, transcriptions } = sonioxFiles

let createdCount = 0

const upload = async (request: FakeRequest): Promise<FakeAnswer> => {
  const file = (await parseFormBody(request)).get('file')
  if (!(file instanceof Blob) || !isRecording(Buffer.from(await file.arrayBuffer())))
    return refused(400, 'invalid_request')
  createdCount += 1
  files.add(`file-${createdCount}`)
  return { status: 201, body: { id: `file-${createdCount}`, filename: 'test.wav', size: file.size } }
}

const start = ({ model, file_id }: Record<string, unknown>): FakeAnswer => {
  if (model !== 'stt-async-v4' || !files.has(String(file_id))) return refused(400, 'invalid_request')
  createdCount += 1
  transcriptions.set(`transcription-${createdCount}`, { statusRequests: 0 })
  return { status: 201, body: { id: `transcription-${createdCount}`, status: 'queued', model, file_id } }
}

/** Returns the state of a transcription: queued for the first request, completed afterwards. */
const getState = (id: string): FakeAnswer => {
  const transcription = transcriptions.get(id)
  if (transcription === undefined) return refused(404, 'transcription_not_found')
  transcription.statusRequests += 1
  return { body: { id, status: transcription.statusRequests > 1 ? 'completed' : 'queued', error_message: null } }
}

const remove = (from: { delete(id: string): boolean }, id: string): FakeAnswer =>
  from.delete(id) ? { status: 204 } : refused(404, 'not_found')

export const soniox: FakeVendor = {
  name: 'soniox',
  hosts: ['api.soniox.com'],
  credential: { api_key: key },
  checked: { api_key: ['stt'] },
  async answer(request) {
    const { method, url, headers } = request
    if (headers.authorization !== `Bearer ${key}`) return refused(401, 'unauthenticated')
    const [, version, collection = '', id = '', part] = url.pathname.split('/')
    if (version !== 'v1') return refused(404, 'not_found')
    switch (`${method} ${[collection, id && 'id', part].filter(Boolean).join('/')}`) {
      case 'GET models':
        return { body: { models } }
      case 'POST files':
        return upload(request)
      case 'DELETE files/id':
        return remove(files, id)
      case 'POST transcriptions':
        return start(parseJsonBody(request))
      case 'GET transcriptions/id':
        return getState(id)
      case 'GET transcriptions/id/transcript':
        return { body: { id, text: 'Patchbay is testing', tokens: [] } }
      case 'DELETE transcriptions/id':
        return remove(transcriptions, id)
      default:
        return refused(404, 'not_found')
    }
  },
}
