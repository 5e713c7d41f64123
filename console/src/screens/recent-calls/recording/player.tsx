import { formatMinutesSeconds, jumpSeconds, soundBegin, soundEnd } from '@patchbay/contract/recordings/recordings'
import { type Region, toRegions } from '@patchbay/contract/recordings/regions'
import { toTranscript } from '@patchbay/contract/recordings/transcript'
import type { Span } from '@patchbay/contract/shared/traces'
import { Pause, Play, RotateCcw, RotateCw } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CheckboxField } from '../../../ui/field.tsx'
import { FilterSelect } from '../../../ui/filter-bar.tsx'
import type { Recorded, Sound } from './recording-query.ts'
import styles from './recording.module.css'
import { RegionDialog } from './region-dialog.tsx'
import { regionSummary, regionKindLabels } from './format-region.ts'
import { CopyTranscript, Transcript } from './transcript.tsx'
import { type Playback, speeds, usePlayback } from './use-playback.ts'
import { Wave } from './waveform.tsx'

const speedOptions = speeds.map((value) => ({ value, label: `${value}×` }))

const Controls = ({ playback, children }: { playback: Playback; children: ReactNode }) => {
  const { duration, at, isPlaying, speed, setSpeed, jump, toggle } = playback
  return (
    <div className={styles['controls']}>
      <IconButton
        label={`Back ${jumpSeconds} seconds`}
        icon={<RotateCcw aria-hidden="true" />}
        onClick={() => jump(-jumpSeconds)}
      />
      <Button
        variant="primary"
        icon={isPlaying ? <Pause size={16} aria-hidden="true" /> : <Play size={16} aria-hidden="true" />}
        className={styles['play']}
        onClick={toggle}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </Button>
      <IconButton
        label={`Forward ${jumpSeconds} seconds`}
        icon={<RotateCw aria-hidden="true" />}
        onClick={() => jump(jumpSeconds)}
      />
      <span role="timer" aria-label="Time" className={styles['time']}>
        {formatMinutesSeconds(at)} / {formatMinutesSeconds(duration)}
      </span>
      <FilterSelect label="Speed" value={speed} options={speedOptions} onChange={setSpeed} />
      {children}
    </div>
  )
}

/** The regions as a list: what is on the waveform in colours, in words and for keys. */
const RegionList = ({ regions, onRegion }: { regions: readonly Region[]; onRegion: (region: Region) => void }) => (
  <ol aria-label="Latencies" className={styles['regions']}>
    {regions.map((region) => (
      <li key={region.id}>
        <button type="button" className={styles['entry']} onClick={() => onRegion(region)}>
          <span aria-hidden="true" className={classes(styles['swatch'], styles[region.kind])} />
          <span className={styles['clock']}>{formatMinutesSeconds(region.start)}</span>
          <span>{regionKindLabels[region.kind]}</span>
          <span className={styles['gist']}>{regionSummary(region)}</span>
        </button>
      </li>
    ))}
  </ol>
)

/** Those in the recording, none longer than it. */
const within = (regions: readonly Region[], duration: number): Region[] =>
  regions.filter(({ start }) => start < duration).map((region) => ({ ...region, end: Math.min(region.end, duration) }))

interface PlayerProps {
  recorded: Recorded & { sound: Sound }
  /** of the call; undefined while they are not known */
  spans: readonly Span[] | undefined
  /** why there is nothing to read of what was said; what there is stands before it */
  untold: ReactNode
  /** the acts on the file */
  acts: ReactNode
}

/** A recording to listen to: its waveform with what its trace tells of it, and beside it what was said. */
export const Player = ({ recorded: { file, sound }, spans, untold, acts }: PlayerProps) => {
  const playback = usePlayback(file, sound.duration)
  const [hasLatencies, setLatencies] = useState(false)
  const [shown, setShown] = useState<Region>()
  const title = useId()
  const { regions, lines } = useMemo(() => {
    const of = (channel: 0 | 1) => sound.peaks[channel] ?? new Float32Array(0)
    return {
      regions: within(
        toRegions(spans ?? [], (channel, from, until) => soundEnd(of(channel), from, until)),
        sound.duration,
      ),
      lines: toTranscript(spans ?? [], (channel, from, until) => soundBegin(of(channel), from, until)),
    }
  }, [spans, sound])
  const marked = hasLatencies ? regions : []
  return (
    <div className={styles['frame']}>
      <div className={styles['player']}>
        <Wave sound={sound} playback={playback} regions={marked} onRegion={setShown} />
        <Controls playback={playback}>
          <CheckboxField
            label="Show latencies"
            checked={hasLatencies}
            onChange={({ target }) => setLatencies(target.checked)}
          />
          <div className={styles['acts']}>{acts}</div>
        </Controls>
        {hasLatencies && regions.length > 0 && <RegionList regions={regions} onRegion={setShown} />}
        {hasLatencies && regions.length === 0 && (
          <p className={styles['none']}>
            {spans === undefined
              ? 'Latencies are read from the trace of the call, which is not there.'
              : 'The trace tells of nothing that can be placed in this recording.'}
          </p>
        )}
      </div>
      <section aria-labelledby={title} className={styles['transcript']}>
        <div className={styles['title']}>
          <p id={title}>What was said</p>
          {lines.length > 0 && <CopyTranscript lines={lines} />}
        </div>
        {lines.length > 0 ? <Transcript lines={lines} playback={playback} /> : untold}
      </section>
      {shown && (
        <RegionDialog
          region={shown}
          onPlay={() => {
            playback.playFrom(shown.start)
            setShown(undefined)
          }}
          onClose={() => setShown(undefined)}
        />
      )}
    </div>
  )
}
