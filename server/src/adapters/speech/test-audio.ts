import recording from './test-audio.json' with { type: 'json' }

/**
 * What recognition is tested with: "Patchbay is testing this speech service.", spoken by espeak-ng for this project.
 * RIFF/WAVE, PCM 16 bit little-endian, mono, 8000 Hz.
 */
export const wav: Buffer = Buffer.from(recording.wav, 'base64')

const header = 44

/** The samples alone. */
export const pcm: Buffer = wav.subarray(header)

export const sampleRate = 8000

/** What synthesis is tested with. */
export const sentence = 'This speech service works.'
