import { apiKey, options, type Use, type Vendor } from '../descriptor.ts'

/**
 * Vendors of newer platforms. Patchbay stores and shows their credentials, but has neither a test nor a list of voices
 * for them, so languages and voices are text fields.
 */
const create = (vendor: string, ...uses: readonly Use[]): Vendor => ({
  vendor,
  ...(uses.includes('tts') ? { tts: { typed: true } } : {}),
  ...(uses.includes('stt') ? { stt: { typed: true } } : {}),
  parts: [apiKey, { kind: 'text', name: 'model_id', label: 'Model ID' }, options({})],
})

export const gemini = create('gemini', 'stt')
export const giggy = create('giggy', 'tts', 'stt')
export const gradium = create('gradium', 'tts')
export const kugelaudio = create('kugelaudio', 'tts')
export const modulate = create('modulate', 'stt')
export const nineninesix = create('nineninesix', 'tts')
export const paxa = create('paxa', 'tts', 'stt')
export const phonic = create('phonic', 'tts')
export const speechify = create('speechify', 'tts')
export const xai = create('xai', 'stt')
export const zoom = create('zoom', 'stt')
