import { type FakeAnswer, type FakeVendor, isRecording, parseJsonBody } from './fake-vendor.ts'

const key = 'assemblyai-key-of-the-tests'

const cdn = 'https://cdn.assemblyai.com/upload/'

const uploads = new Set<string>()

/** Number of status requests per transcript. */
const transcripts = new Map<string, number>()

const refused = (status: number, error: string): FakeAnswer => ({ status, body: { error } })

/** Returns the state of a transcript: queued for the first request, completed afterwards. */
const getState = (id: string): FakeAnswer => {
  const looked = transcripts.get(id)
  if (looked === undefined) return refused(404, 'Transcript lookup error, transcript id not found')
  transcripts.set(id, looked + 1)
  return looked > 0
    ? { body: { id, status: 'completed', text: 'Patchbay is testing', error: null } }
    : { body: { id, status: 'processing', text: null, error: null } }
}

export const assemblyai: FakeVendor = {
  name: 'assemblyai',
  hosts: ['api.assemblyai.com'],
  credential: { api_key: key, service_version: 'v2' },
  checked: { api_key: ['stt'] },
  answer(request) {
    const { method, url, headers, body } = request
    if (headers.authorization !== key) return refused(401, 'Authentication error, API token missing/invalid')
    const [, , collection, id] = url.pathname.split('/')
    switch (`${method} ${url.pathname}`) {
      case 'POST /v2/upload': {
        if (headers['content-type'] !== 'application/octet-stream' || !isRecording(body))
          return refused(422, 'Upload failed, please try again.')
        const upload_url = `${cdn}${uploads.size + 1}`
        uploads.add(upload_url)
        return { body: { upload_url } }
      }
      case 'POST /v2/transcript': {
        if (!uploads.has(String(parseJsonBody(request)['audio_url']))) return refused(400, 'Invalid audio_url')
        const started = `transcript-${transcripts.size + 1}`
        transcripts.set(started, 0)
        return { body: { id: started, status: 'queued', text: null, error: null } }
      }
      default:
        if (method === 'GET' && collection === 'transcript' && id !== undefined) return getState(id)
        return refused(404, 'Not found')
    }
  },
}
