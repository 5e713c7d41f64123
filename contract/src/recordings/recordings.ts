/**
 * Recordings of calls, as a player has them (spec 1 §9; api/4-calls-and-hosted.md §2.6, §6.3). Pure. Channel 0 is what
 * the caller says, channel 1 what the platform does; instants are seconds from the beginning of the recording.
 */

export const jumpSeconds = 15
/** of a channel's waveform */
export const wavePixels = 50
export const pixelsPerSecond = 100
export const sampleRate = 8000

/** Waveforms, and where there is silence, are found in peaks, each the loudest of so many samples. */
const samplesOfPeak = 10
export const peaksPerSecond = sampleRate / samplesOfPeak

/** The loudest of every ten samples, with its sign. */
export const computePeaks = (samples: Float32Array): Float32Array => {
  const peaks = new Float32Array(Math.ceil(samples.length / samplesOfPeak))
  for (let at = 0; at < samples.length; at += 1) {
    const peak = Math.floor(at / samplesOfPeak)
    const sample = samples[at] ?? 0
    if (Math.abs(sample) > Math.abs(peaks[peak] ?? 0)) peaks[peak] = sample
  }
  return peaks
}

/** What is no louder is silence; a sound is at least so many peaks long. */
export const silence = 0.03
const soundPeaks = 5

/** Where the last sound of a channel between two instants ends; undefined where there is none. */
export const soundEnd = (peaks: Float32Array, from: number, until: number): number | undefined => {
  const first = Math.max(0, Math.floor(from * peaksPerSecond))
  let loud = 0
  for (let at = Math.min(peaks.length, Math.ceil(until * peaksPerSecond)) - 1; at >= first; at -= 1) {
    loud = Math.abs(peaks[at] ?? 0) > silence ? loud + 1 : 0
    if (loud === soundPeaks) return (at + soundPeaks) / peaksPerSecond + 0.02
  }
  return undefined
}

/** Where the first sound of a channel between two instants begins; undefined where there is none. */
export const soundBegin = (peaks: Float32Array, from: number, until: number): number | undefined => {
  const end = Math.min(peaks.length, Math.ceil(until * peaksPerSecond))
  let loud = 0
  for (let at = Math.max(0, Math.floor(from * peaksPerSecond)); at < end; at += 1) {
    loud = Math.abs(peaks[at] ?? 0) > silence ? loud + 1 : 0
    if (loud === soundPeaks) return (at + 1 - soundPeaks) / peaksPerSecond
  }
  return undefined
}

/** mm:ss; minutes go on after 59. */
export const formatMinutesSeconds = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, '0')).join(':')
}

/** Fifteen seconds on or back, within the recording; the last second can be heard. */
export const jumped = (at: number, by: number, duration: number): number =>
  Math.max(0, Math.min(at + by, Math.max(0, duration - 1)))

export interface RecordingPath {
  account_sid: string
  call_sid: string
  year: string
  month: string
  day: string
  format: string
}

const pathPattern =
  /^\/Accounts\/(?<account_sid>[\w-]+)\/RecentCalls\/(?<call_sid>[\w-]+)\/record\/(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d)\/(?<format>\w+)$/

const pathOf = (path: string): RecordingPath | undefined => pathPattern.exec(path)?.groups as RecordingPath | undefined

/**
 * What a call's `recording_url` names: a path of the API, also where it is written with the address of the API
 * (`apiBase`, absolute); an address of another server, to which no token goes; or nothing that can be read.
 */
export const parseRecordingUrl = (
  recording_url: string,
  apiBase: string,
): { path: RecordingPath } | { elsewhere: string } | undefined => {
  if (!/^https?:\/\//i.test(recording_url)) {
    const path = pathOf(recording_url)
    return path && { path }
  }
  if (!URL.canParse(recording_url)) return undefined
  const { origin, pathname, href } = new URL(recording_url)
  if (origin !== new URL(apiBase).origin) return { elsewhere: href }
  const path = pathOf(pathname.replace(/^(?:\/api)?\/v1(?=\/)/, ''))
  return path && { path }
}
