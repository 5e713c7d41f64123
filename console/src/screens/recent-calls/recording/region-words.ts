import { clockText } from '@patchbay/contract/rules/recordings'
import type { Region } from '@patchbay/contract/rules/recordings-regions'

/** What regions are called. */

export const kindWords = {
  stt: 'Speech to text',
  'stt-latency': 'Speech to text latency',
  dtmf: 'Dtmf',
  tts: 'Tts latency',
  application: 'Application response latency',
} as const satisfies Record<Region['kind'], string>

export const secondsText = (seconds: number): string => `${seconds.toFixed(2)}s`

/** What stands on the waveform: short, as there is little room. */
export const labelOf = (region: Region): string => {
  if (region.kind === 'stt') return kindWords.stt
  if (region.kind === 'dtmf') return region.details.digit
  return region.details.latency === undefined ? '' : secondsText(region.details.latency)
}

/** What it amounts to. */
export const gistOf = (region: Region): string => {
  if (region.kind === 'stt')
    return region.details.result?.transcript ?? (region.details.resolve === 'timeout' ? 'timeout' : '')
  return labelOf(region)
}

export const nameOf = (region: Region): string =>
  [`${clockText(region.start)} ${kindWords[region.kind]}`, gistOf(region)].filter(Boolean).join(': ')
