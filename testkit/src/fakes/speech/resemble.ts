import {
  areNonEmptyStrings,
  type FakeAnswer,
  type FakeRequest,
  type FakeVendor,
  mp3,
  parseJsonBody,
} from './fake-vendor.ts'

const key = 'resemble-key-of-the-tests'

const voice = (uuid: string, more: object) => ({
  uuid,
  name: uuid,
  status: 'finished',
  voice_type: 'professional',
  source: 'Resemble Voice',
  default_language: 'en-US',
  component_status: { text_to_speech: { status: 'ready' } },
  ...more,
})

const pages = [
  [
    voice('3f5fb9f1', { name: 'Vicky' }),
    voice('e28236ee', { name: 'Amir', voice_type: 'rapid', source: 'Custom Voice', default_language: null }),
    voice('training', { status: 'training' }),
  ],
  [
    voice('ba875a0a', { name: 'Chloé', default_language: 'fr-FR' }),
    voice('deaf', { component_status: { text_to_speech: { status: 'pending' } } }),
    voice('unknown', { component_status: null }),
    voice('a52c4efc', { name: 'Seth', default_language: 'en-gb' }),
  ],
]

const speak = (request: FakeRequest): FakeAnswer => {
  const { voice_uuid, data, sample_rate, output_format } = parseJsonBody(request)
  if (request.headers.authorization !== `Bearer ${key}`) return { status: 401, body: { message: 'Unauthorized' } }
  const isKnown = pages.flat().some(({ uuid }) => uuid === voice_uuid)
  if (!areNonEmptyStrings(data) || !isKnown || sample_rate !== 8000 || output_format !== 'mp3')
    return { status: 400, body: { success: false, error_name: 'BadRequest' } }
  return { body: { success: true, audio_content: mp3.toString('base64'), output_format: 'mp3', sample_rate: 8000 } }
}

const list = ({ url, headers }: FakeRequest): FakeAnswer => {
  if (headers.authorization !== `Token token=${key}`) return { status: 401, body: { success: false } }
  const page = Number(url.searchParams.get('page'))
  const items = url.searchParams.get('page_size') === '100' ? pages[page - 1] : undefined
  if (items === undefined) return { status: 400, body: { success: false, message: 'page, page_size' } }
  return { body: { success: true, page, num_pages: pages.length, page_size: 100, items } }
}

export const resemble: FakeVendor = {
  name: 'resemble',
  hosts: ['f.cluster.resemble.ai', 'app.resemble.ai'],
  credential: { api_key: key },
  checked: { api_key: ['tts'], resemble_tts_uri: ['tts'] },
  answer(request) {
    const { method, url } = request
    switch (`${method} ${url.host}${url.pathname}`) {
      case 'POST f.cluster.resemble.ai/synthesize':
        return speak(request)
      case 'GET app.resemble.ai/api/v2/voices':
        return list(request)
      default:
        return { status: 404 }
    }
  },
}
