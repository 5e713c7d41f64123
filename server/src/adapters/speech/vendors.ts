import type { SpeechVendor } from './speech.ts'

/** The supported vendors by the name they are stored under. Each module is loaded on first use. */
const vendors: Readonly<Record<string, () => Promise<SpeechVendor>>> = {
  assemblyai: async () => (await import('./vendors/assemblyai.ts')).assemblyai,
  aws: async () => (await import('./vendors/aws.ts')).aws,
  cartesia: async () => (await import('./vendors/cartesia.ts')).cartesia,
  custom: async () => (await import('./vendors/custom.ts')).custom,
  deepgram: async () => (await import('./vendors/deepgram.ts')).deepgram,
  deepgramflux: async () => (await import('./vendors/deepgramflux.ts')).deepgramflux,
  elevenlabs: async () => (await import('./vendors/elevenlabs.ts')).elevenlabs,
  gladia: async () => (await import('./vendors/gladia.ts')).gladia,
  google: async () => (await import('./vendors/google.ts')).google,
  houndify: async () => (await import('./vendors/houndify.ts')).houndify,
  ibm: async () => (await import('./vendors/ibm.ts')).ibm,
  inworld: async () => (await import('./vendors/inworld.ts')).inworld,
  microsoft: async () => (await import('./vendors/microsoft.ts')).microsoft,
  nuance: async () => (await import('./vendors/nuance.ts')).nuance,
  nvidia: async () => (await import('./vendors/nvidia.ts')).nvidia,
  openai: async () => (await import('./vendors/openai.ts')).openai,
  playht: async () => (await import('./vendors/playht.ts')).playht,
  resemble: async () => (await import('./vendors/resemble.ts')).resemble,
  rimelabs: async () => (await import('./vendors/rimelabs.ts')).rimelabs,
  soniox: async () => (await import('./vendors/soniox.ts')).soniox,
  speechmatics: async () => (await import('./vendors/speechmatics.ts')).speechmatics,
  verbio: async () => (await import('./vendors/verbio.ts')).verbio,
  voxist: async () => (await import('./vendors/voxist.ts')).voxist,
  wellsaid: async () => (await import('./vendors/wellsaid.ts')).wellsaid,
  whisper: async () => (await import('./vendors/whisper.ts')).whisper,
}

export const speechVendorNames: readonly string[] = Object.keys(vendors)

/** Loads a vendor module. All `custom:{name}` vendors share one. Returns undefined for unsupported vendors. */
export const loadSpeechVendor = async (name: string): Promise<SpeechVendor | undefined> => {
  const vendor = name.replace(/^custom:.*/, 'custom')
  return Object.hasOwn(vendors, vendor) ? vendors[vendor]?.() : undefined
}
