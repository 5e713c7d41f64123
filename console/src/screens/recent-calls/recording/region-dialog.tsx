import { findRecognitionEnd, type RecognitionEnd } from '@patchbay/rules/recordings/recognition-end'
import type { Region, SpeechDetails } from '@patchbay/rules/recordings/regions'
import { Play } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import styles from './recording.module.css'

/** Dialog titles by kind of region (docs/reference/platform-api/recordings.md#player). */

const titles = {
  stt: 'Speech to text result',
  'stt-latency': 'Speech to text result',
  dtmf: 'Dtmf result',
  tts: 'Tts Latency',
  application: 'Application Response Latency',
} as const satisfies Record<Region['kind'], string>

const toLatencyEntry = (latency: number): DefinitionEntry => ['Latency', `${latency.toFixed(2)} seconds`]

const toOptionalEntry = (name: string, text: string | undefined, mono = false): DefinitionEntry[] =>
  text ? [[name, text, { mono }]] : []

const speechEntries = ({ result, latency }: SpeechDetails): DefinitionEntry[] => [
  ...toOptionalEntry('Vendor', result?.vendor),
  ...(result?.confidence ? [['Confidence', String(Number(result.confidence.toFixed(4)))] as const] : []),
  ...toOptionalEntry('Language code', result?.language_code),
  ...toOptionalEntry('Transcript', result?.transcript),
  ...(latency === undefined ? [] : [toLatencyEntry(latency)]),
]

const toEntries = (region: Region): DefinitionEntry[] => {
  switch (region.kind) {
    case 'dtmf':
      return [
        ['Dtmf', region.details.digit, { mono: true }],
        ['Duration', region.details.duration],
      ]
    case 'tts': {
      const { vendor, language, voice, latency, cached } = region.details
      return [
        ['Vendor', vendor],
        toLatencyEntry(latency),
        ['From cache', cached ? 'yes' : 'no'],
        ...toOptionalEntry('Language', language),
        ...toOptionalEntry('Voice', voice),
      ]
    }
    case 'application': {
      const { status, latency, url, body } = region.details
      return [
        ['Status code', String(status)],
        toLatencyEntry(latency),
        ...toOptionalEntry('Webhook', url, true),
        ...toOptionalEntry('Sent', body, true),
      ]
    }
    default:
      return speechEntries(region.details)
  }
}

const endMessages = {
  timeout: 'No speech was recognized before the timeout.',
  keys: 'Pressed keys ended the recognition.',
  failure: 'The recognition failed.',
  stop: 'The recognition was stopped before a result was available.',
} as const satisfies Record<RecognitionEnd, string>

/** Returns why speech recognition has no result, or undefined if it has one. */
const noResult = ({ result, unreadable, resolve }: SpeechDetails): string | undefined => {
  if (result !== undefined) return undefined
  if (unreadable !== undefined) return 'The trace contains a result that can’t be read.'
  const end = findRecognitionEnd(resolve)
  if (end !== undefined) return endMessages[end]
  return resolve === undefined
    ? 'The call or the session ended before a result was available.'
    : `The recognition ended without a result (${resolve}).`
}

interface RegionDialogProps {
  region: Region
  onPlay: () => void
  onClose: () => void
}

export const RegionDialog = ({ region, onPlay, onClose }: RegionDialogProps) => {
  const isSpeech = region.kind === 'stt' || region.kind === 'stt-latency'
  const missing = isSpeech ? noResult(region.details) : undefined
  const raw = isSpeech ? region.details.unreadable : undefined
  const entries = toEntries(region)
  return (
    <Dialog
      title={titles[region.kind]}
      size="medium"
      closeOnBackdrop
      onClose={onClose}
      footer={
        <Button icon={<Play size={14} aria-hidden="true" />} onClick={onPlay}>
          Play from here
        </Button>
      }
    >
      <div tabIndex={-1} data-autofocus className={styles['read']}>
        {missing !== undefined && <p>{missing}</p>}
        {raw !== undefined && <pre className={styles['raw']}>{raw}</pre>}
        {entries.length > 0 && <DefinitionList entries={entries} />}
      </div>
    </Dialog>
  )
}
