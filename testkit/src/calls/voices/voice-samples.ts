import { readdirSync, readFileSync } from 'node:fs'

/**
 * Spoken sentences in testkit/voices, for synthetic calls: 8 kHz, 8-bit mu-law (ITU-T G.711). They were made with espeak-ng
 * in several languages and voices, and filtered to the frequencies of a telephone (`sox … sinc 250-3500`).
 */

export const voiceSampleRate = 8000

/** A sentence, without the silence before and after it. Samples are from -1 to 1. */
export interface VoiceSample {
  name: string
  samples: Float32Array
}

/** Decodes a mu-law byte (ITU-T G.711, table 2a). */
const decodeMuLaw = (byte: number): number => {
  const inverted = ~byte & 0xff
  const magnitude = ((((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4)) - 0x84
  return ((inverted & 0x80) === 0 ? magnitude : -magnitude) / 32_768
}

/** Returns the content of the `data` chunk of a RIFF WAVE file. */
const readSampleBytes = (file: Buffer): Buffer => {
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4)
    if (file.toString('latin1', at, at + 4) === 'data') return file.subarray(at + 8, at + 8 + size)
    at += 8 + size + (size % 2)
  }
  throw new Error('the file has no samples')
}

const frameLength = 80

const meanSquare = (samples: Float32Array): number =>
  samples.reduce((sum, value) => sum + value * value, 0) / samples.length

/** Sounds this much quieter than the loudest part are not heard. */
const inaudible = 10 ** (-28 / 10)

/** Returns the part from the first to the last audible frame of 10 ms. */
export const trimSilence = (samples: Float32Array): Float32Array => {
  const frames = Math.floor(samples.length / frameLength)
  const powers = Array.from({ length: frames }, (_, frame) =>
    meanSquare(samples.subarray(frame * frameLength, (frame + 1) * frameLength)),
  )
  const limit = Math.max(...powers) * inaudible
  const first = powers.findIndex((power) => power > limit)
  const last = powers.findLastIndex((power) => power > limit)
  return samples.subarray(first * frameLength, (last + 1) * frameLength)
}

const folder = new URL('../../../voices/', import.meta.url)

/** Reads all sentences of a side, each as loud as the others (RMS of -20 dB relative to full scale). */
export const readVoiceSamples = (side: 'caller' | 'agent'): readonly VoiceSample[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`-${side}.wav`))
    .toSorted()
    .map((name) => {
      const samples = trimSilence(Float32Array.from(readSampleBytes(readFileSync(new URL(name, folder))), decodeMuLaw))
      const gain = 0.1 / Math.sqrt(meanSquare(samples))
      return { name, samples: samples.map((value) => value * gain) }
    })
