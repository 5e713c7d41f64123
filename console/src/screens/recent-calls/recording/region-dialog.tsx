import type { Region, SpeechDetails } from '@patchbay/contract/recordings/regions'
import { Play } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from './recording.module.css'

/** What a region is about, by name (console facts A.12). */

const titles = {
  stt: 'Speech to text result',
  'stt-latency': 'Speech to text result',
  dtmf: 'Dtmf result',
  tts: 'Tts Latency',
  application: 'Application Response Latency',
} as const satisfies Record<Region['kind'], string>

const latencyOf = (latency: number): DefinitionEntry => ['Latency', `${latency.toFixed(2)} seconds`]

const told = (name: string, text: string | undefined, mono = false): DefinitionEntry[] =>
  text ? [[name, text, { mono }]] : []

const speechEntries = ({ result, latency }: SpeechDetails): DefinitionEntry[] => [
  ...told('Vendor', result?.vendor),
  ...(result?.confidence ? [['Confidence', String(Number(result.confidence.toFixed(4)))] as const] : []),
  ...told('Language code', result?.language_code),
  ...told('Transcript', result?.transcript),
  ...(latency === undefined ? [] : [latencyOf(latency)]),
]

const entriesOf = (region: Region): DefinitionEntry[] => {
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
        latencyOf(latency),
        ['From cache', cached ? 'yes' : 'no'],
        ...told('Language', language),
        ...told('Voice', voice),
      ]
    }
    case 'application': {
      const { status, latency, url, body } = region.details
      return [
        ['Status code', String(status)],
        latencyOf(latency),
        ...told('Webhook', url, true),
        ...told('Sent', body, true),
      ]
    }
    default:
      return speechEntries(region.details)
  }
}

/** Why there is no result. */
const noResult = ({ result, unreadable, resolve }: SpeechDetails): string | undefined => {
  if (result !== undefined) return undefined
  if (unreadable !== undefined) return 'The trace has a result that cannot be read.'
  return resolve === 'timeout'
    ? 'No speech was recognised before the time was up.'
    : 'The call or the session ended before there was a result.'
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
  const entries = entriesOf(region)
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
