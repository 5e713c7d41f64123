import recording from './test-audio.json' with { type: 'json' }

/**
 * Audio for recognition tests: "Patchbay is testing this speech service.", spoken by espeak-ng for this project.
 * RIFF/WAVE, PCM 16 bit little-endian, mono, 8000 Hz.
 */
export const wav: Buffer = Buffer.from(recording.wav, 'base64')

const headerBytes = 44

/** The samples of `wav`, without the header. */
export const pcm: Buffer = wav.subarray(headerBytes)

export const sampleRate = 8000

/** Text for synthesis tests. */
export const testSentence = 'This speech service works.'
