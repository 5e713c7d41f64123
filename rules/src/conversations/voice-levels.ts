/**
 * Measures how loud the sides of a call are, for the detection of voices (find-voice.ts). Pure.
 */

/** Levels are measured in frames of this length. */
export const frameMs = 10

/** Steps of a level per decibel. */
const stepsPerDecibel = 2
/** Level 0 is silence of -100 dB relative to full scale, or less. */
const minDecibels = -100

/**
 * The levels of a channel per frame in half decibels above -100 dB: of the sound itself, which voices dominate, and of its
 * high frequencies, which consonants dominate.
 */
export interface ChannelLevels {
  low: Levels
  high: Levels
}

type Levels = Uint8Array<ArrayBuffer>

/** Returns the level of a sound with this many decibels relative to full scale. */
export const toLevel = (decibels: number): number =>
  Math.max(0, Math.min(255, Math.round((decibels - minDecibels) * stepsPerDecibel)))

/** Returns the difference of two levels that are this many decibels apart. */
export const toLevelDifference = (decibels: number): number => Math.round(decibels * stepsPerDecibel)

const levelOfPower = (meanSquare: number): number => (meanSquare === 0 ? 0 : toLevel(10 * Math.log10(meanSquare)))

/** Samples of less than -300 dB. */
const inaudible = 1e-15

/**
 * Returns 0 for an inaudible sample. In digital silence, the output of a filter decays to subnormal numbers, with which
 * processors compute ten times slower.
 */
const toNormal = (sample: number): number => (sample < inaudible && sample > -inaudible ? 0 : sample)

/** Initial capacity in frames, a minute of audio. */
const initialFrames = 6000

/** Telephone voices have no lower frequencies. */
const cutoffHertz = 250

const grow = (levels: Levels): Levels => {
  const larger = new Uint8Array(levels.length * 2)
  larger.set(levels)
  return larger
}

/** Measures the levels of one channel. Audio may arrive in pieces of any length. */
export class LevelMeter {
  readonly #samplesPerFrame: number
  readonly #highPass: number
  #low = new Uint8Array(initialFrames)
  #high = new Uint8Array(initialFrames)
  #frames = 0
  #samples = 0
  #inFrame = 0
  #lowSum = 0
  #highSum = 0
  #previousInput = 0
  #filtered = 0
  #filteredOnce = 0
  #previous = 0
  #beforePrevious = 0

  /** @param sampleRate samples per second */
  constructor(sampleRate: number) {
    this.#samplesPerFrame = (sampleRate * frameMs) / 1000
    this.#highPass = sampleRate / (sampleRate + 2 * Math.PI * cutoffHertz)
  }

  /**
   * Adds samples from -1 to 1.
   * @param step distance between the samples of the channel, for interleaved channels
   */
  add(samples: Float32Array, first = 0, step = 1): void {
    for (let position = first; position < samples.length; position += step) {
      const input = samples[position] ?? 0
      // Two high-pass filters of first order remove hum and rumble, which no telephone transmits as a part of a voice.
      const once = toNormal(this.#highPass * (this.#filteredOnce + input - this.#previousInput))
      const sample = toNormal(this.#highPass * (this.#filtered + once - this.#filteredOnce))
      this.#previousInput = input
      this.#filteredOnce = once
      this.#filtered = sample
      // A sum and a difference of neighbors are the cheapest filters that separate vowels from consonants.
      const low = (sample + this.#previous) / 2
      const high = (sample - 2 * this.#previous + this.#beforePrevious) / 4
      this.#beforePrevious = this.#previous
      this.#previous = sample
      this.#lowSum += low * low
      this.#highSum += high * high
      this.#inFrame += 1
      this.#samples += 1
      // A frame has 110 or 111 samples at 11,025 Hz.
      if (this.#samples >= this.#samplesPerFrame * (this.#frames + 1)) this.#endFrame()
    }
  }

  /** Returns the levels of the complete frames. */
  getLevels(): ChannelLevels {
    return { low: this.#low.subarray(0, this.#frames), high: this.#high.subarray(0, this.#frames) }
  }

  #endFrame(): void {
    if (this.#frames === this.#low.length) {
      this.#low = grow(this.#low)
      this.#high = grow(this.#high)
    }
    this.#low[this.#frames] = levelOfPower(this.#lowSum / this.#inFrame)
    this.#high[this.#frames] = levelOfPower(this.#highSum / this.#inFrame)
    this.#frames += 1
    this.#inFrame = 0
    this.#lowSum = 0
    this.#highSum = 0
  }
}
