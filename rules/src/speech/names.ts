/** Display names of speech vendors. Separate from the catalogue, so that lists can be loaded without it. */
const names: ReadonlyMap<string, string> = new Map([
  ['assemblyai', 'AssemblyAI'],
  ['aws', 'AWS'],
  ['cartesia', 'Cartesia'],
  ['cobalt', 'Cobalt'],
  ['custom', 'Custom'],
  ['deepgram', 'Deepgram'],
  ['deepgramflux', 'Deepgram Flux'],
  ['elevenlabs', 'ElevenLabs'],
  ['gemini', 'Gemini'],
  ['giggy', 'Giggy'],
  ['gladia', 'Gladia'],
  ['google', 'Google'],
  ['gradium', 'Gradium'],
  ['ibm', 'IBM'],
  ['inworld', 'Inworld'],
  ['kugelaudio', 'KugelAudio'],
  ['microsoft', 'Microsoft'],
  ['modulate', 'Modulate'],
  ['nineninesix', 'NineNineSix'],
  ['nuance', 'Nuance'],
  ['nvidia', 'Nvidia'],
  ['openai', 'OpenAI'],
  ['paxa', 'Paxa'],
  ['phonic', 'Phonic'],
  ['playht', 'PlayHT'],
  ['resemble', 'Resemble'],
  ['rimelabs', 'RimeLabs'],
  ['soniox', 'Soniox'],
  ['houndify', 'SoundHound'],
  ['speechify', 'Speechify'],
  ['speechmatics', 'Speechmatics'],
  ['verbio', 'Verbio'],
  ['voxist', 'Voxist'],
  ['wellsaid', 'WellSaid'],
  ['whisper', 'Whisper'],
  ['xai', 'xAI'],
  ['zoom', 'Zoom'],
])

const prefix = 'custom:'

/** Returns the display name of a vendor: "Deepgram", or the given name of a custom vendor. */
export const vendorName = (stored: string): string =>
  stored.startsWith(prefix) ? stored.slice(prefix.length) : (names.get(stored) ?? stored)

/** Returns whether configuration switches disable the vendor (COMMON-09, COMMON-15). */
export const isDisabledVendor = (vendor: string, switches: ReadonlySet<string>): boolean =>
  (vendor === 'custom' && switches.has('no-custom-speech')) ||
  (vendor === 'speechmatics' && switches.has('no-additional-speech-vendors'))
