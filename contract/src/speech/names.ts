/** What the vendors of speech are called; apart from the catalogue, which lists have no use for. */
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

/** For people: "Deepgram", and of a custom vendor the name that it was given. */
export const vendorName = (stored: string): string =>
  stored.startsWith(prefix) ? stored.slice(prefix.length) : (names[stored] ?? stored)

/** The switches that take a vendor out of the choice (console.md A.1). */
export const switchedOff = (vendor: string, switches: ReadonlySet<string>): boolean =>
  (vendor === 'custom' && switches.has('no-custom-speech')) ||
  (vendor === 'speechmatics' && switches.has('no-additional-speech-vendors'))
