import type { CallFigures } from '@patchbay/contract/call-quality'
import { formatClock } from '@patchbay/contract/shared/durations'
import { acd, asr, ner, pdd } from '@patchbay/rules/calls/call-quality'
import { formatPercent } from '../../ui/format/percent.ts'

/** Formats call figures. A value that cannot be computed is shown as a dash. */

const none = '–'

const percent = (ratio: number | undefined): string => (ratio === undefined ? none : formatPercent(ratio))

export interface Measure {
  id: 'asr' | 'ner' | 'acd' | 'pdd'
  /** Abbreviation of the measure. */
  short: string
  name: string
  hint: string
  text: (figures: CallFigures) => string
}

export const measures: readonly Measure[] = [
  {
    id: 'asr',
    short: 'ASR',
    name: 'Answer-seizure ratio',
    hint: 'share of attempts that were answered',
    text: (figures) => percent(asr(figures)),
  },
  {
    id: 'ner',
    short: 'NER',
    name: 'Network effectiveness ratio',
    hint: 'share of attempts for which the network did its part: answered, busy, unwanted, canceled, or not picked up',
    text: (figures) => percent(ner(figures)),
  },
  {
    id: 'acd',
    short: 'ACD',
    name: 'Average call duration',
    hint: 'average of the answered calls',
    text: (figures) => {
      const seconds = acd(figures)
      return seconds === undefined ? none : formatClock(Math.round(seconds))
    },
  },
  {
    id: 'pdd',
    short: 'PDD',
    name: 'Post-dial delay',
    hint: 'from dialing to the first ring, for calls with a trace',
    text: (figures) => {
      const seconds = pdd(figures)
      return seconds === undefined ? none : `${seconds.toFixed(2)} s`
    },
  },
]

/** Returns a measure of some calls in words. */
export const formatMeasure = (id: Measure['id'], figures: CallFigures): string =>
  measures.find((measure) => measure.id === id)?.text(figures) ?? none
