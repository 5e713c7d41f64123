import type { FakeVendor } from './fake-vendor.ts'

const key = 'voxist-key-of-the-tests'

export const voxist: FakeVendor = {
  name: 'voxist',
  hosts: ['api-asr.voxist.com'],
  credential: { api_key: key },
  checked: { api_key: ['stt'] },
  answer({ method, url, headers }) {
    if (`${method} ${url.pathname}` !== 'GET /clients') return { status: 404 }
    return headers['x-lvl-key'] === key ? { body: [{ id: 1, name: 'patchbay' }] } : { status: 401 }
  },
}
