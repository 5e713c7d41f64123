import { formatClock } from '@patchbay/contract/shared/durations'
import { findRecognitionEnd, type RecognitionEnd } from '@patchbay/rules/recordings/recognition-end'
import type { Region } from '@patchbay/rules/recordings/regions'

/** Labels of the region kinds. */

export const regionKindLabels = {
  stt: 'Speech to text',
  'stt-latency': 'Speech to text latency',
  dtmf: 'Dtmf',
  tts: 'Tts latency',
  application: 'Application response latency',
} as const satisfies Record<Region['kind'], string>

export const secondsText = (seconds: number): string => `${seconds.toFixed(2)}s`

/** Returns the short label for the waveform. */
export const regionLabel = (region: Region): string => {
  if (region.kind === 'stt') return regionKindLabels.stt
  if (region.kind === 'dtmf') return region.details.digit
  return region.details.latency === undefined ? '' : secondsText(region.details.latency)
}

const endSummaries = {
  timeout: 'timeout',
  keys: 'ended with keys',
  failure: 'failed',
  stop: 'stopped',
} as const satisfies Record<RecognitionEnd, string>

/** Returns the result of a region: a transcript, a digit, or a latency. */
export const regionSummary = (region: Region): string => {
  if (region.kind === 'stt') {
    const { result, resolve } = region.details
    const end = findRecognitionEnd(resolve)
    return result?.transcript ?? (end === undefined ? '' : endSummaries[end])
  }
  return regionLabel(region)
}

export const regionName = (region: Region): string =>
  [`${formatClock(region.start)} ${regionKindLabels[region.kind]}`, regionSummary(region)].filter(Boolean).join(': ')
