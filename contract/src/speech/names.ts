/** Display names of speech vendors. Separate from the catalogue, so that lists can be loaded without it. */
const names: Readonly<Record<string, string>> = {
  assemblyai: 'AssemblyAI',
  aws: 'AWS',
  cartesia: 'Cartesia',
  cobalt: 'Cobalt',
  custom: 'Custom',
  deepgram: 'Deepgram',
  deepgramflux: 'Deepgram Flux',
  elevenlabs: 'ElevenLabs',
  gladia: 'Gladia',
  google: 'Google',
  ibm: 'IBM',
  inworld: 'Inworld',
  microsoft: 'Microsoft',
  nuance: 'Nuance',
  nvidia: 'Nvidia',
  openai: 'OpenAI',
  playht: 'PlayHT',
  resemble: 'Resemble',
  rimelabs: 'RimeLabs',
  soniox: 'Soniox',
  houndify: 'SoundHound',
  speechmatics: 'Speechmatics',
  verbio: 'Verbio',
  voxist: 'Voxist',
  wellsaid: 'WellSaid',
  whisper: 'Whisper',
}

const prefix = 'custom:'

/** Returns the display name of a vendor: "Deepgram", or the given name of a custom vendor. */
export const vendorName = (stored: string): string =>
  stored.startsWith(prefix) ? stored.slice(prefix.length) : (names[stored] ?? stored)

/** Returns whether configuration switches disable the vendor (COMMON-09, COMMON-15). */
export const isDisabledVendor = (vendor: string, switches: ReadonlySet<string>): boolean =>
  (vendor === 'custom' && switches.has('no-custom-speech')) ||
  (vendor === 'speechmatics' && switches.has('no-additional-speech-vendors'))
