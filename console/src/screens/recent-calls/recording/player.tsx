import { formatClock } from '@patchbay/contract/shared/durations'
import { jumpSeconds, soundBegin, soundEnd } from '@patchbay/rules/recordings/recordings'
import { type Region, toRegions } from '@patchbay/rules/recordings/regions'
import { toTranscript } from '@patchbay/rules/recordings/transcript'
import type { Span } from '@patchbay/rules/traces/traces'
import { Pause, Play, RotateCcw, RotateCw, Timer } from 'lucide-react'
import { type ReactNode, useId, useMemo, useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { FilterSelect } from '../../../ui/table/filter-select.tsx'
import { regionKindLabels, regionSummary } from './format-region.ts'
import type { PlayerLink } from './player-link.ts'
import styles from './recording.module.css'
import type { Recorded, Sound } from './recording-query.ts'
import { RegionDialog } from './region-dialog.tsx'
import { CopyTranscript, Transcript } from './transcript.tsx'
import { useLinkedPlayer } from './use-linked-player.ts'
import { type Playback, speeds, usePlayback } from './use-playback.ts'
import { Wave } from './waveform.tsx'

const speedOptions = speeds.map((value) => ({ value, label: `${value}×` }))

const Controls = ({ playback: { duration, at, isPlaying, jump, toggle } }: { playback: Playback }) => {
  return (
    <div className={styles['controls']}>
      <IconButton
        label={`Back ${jumpSeconds} seconds`}
        icon={<RotateCcw aria-hidden="true" />}
        onClick={() => jump(-jumpSeconds)}
      />
      <IconButton
        label={isPlaying ? 'Pause' : 'Play'}
        variant="primary"
        icon={isPlaying ? <Pause size={18} aria-hidden="true" /> : <Play size={18} aria-hidden="true" />}
        className={styles['play']}
        onClick={toggle}
      />
      <IconButton
        label={`Forward ${jumpSeconds} seconds`}
        icon={<RotateCw aria-hidden="true" />}
        onClick={() => jump(jumpSeconds)}
      />
      <span role="timer" aria-label="Time" className={styles['time']}>
        {formatClock(at)} / {formatClock(duration)}
      </span>
    </div>
  )
}

/** Lists the regions that the waveform shows in color, for keyboard and screen reader users. */
const RegionList = ({ regions, onRegion }: { regions: readonly Region[]; onRegion: (region: Region) => void }) => (
  <ol aria-label="Latencies" className={styles['regions']}>
    {regions.map((region) => (
      <li key={region.id}>
        <button type="button" className={styles['entry']} onClick={() => onRegion(region)}>
          <span aria-hidden="true" className={classes(styles['swatch'], styles[region.kind])} />
          <span className={styles['clock']}>{formatClock(region.start)}</span>
          <span>{regionKindLabels[region.kind]}</span>
          <span className={styles['gist']}>{regionSummary(region)}</span>
        </button>
      </li>
    ))}
  </ol>
)

/** Returns the regions that start within the recording, cut off at its end. */
const clipRegions = (regions: readonly Region[], duration: number): Region[] =>
  regions.filter(({ start }) => start < duration).map((region) => ({ ...region, end: Math.min(region.end, duration) }))

interface PlayerProps {
  recorded: Recorded & { sound: Sound }
  /** Spans of the call. Undefined while they load, and for calls without a trace. Null to hide latencies. */
  spans: readonly Span[] | undefined | null
  /** The direction of the call that was recorded. */
  direction: string | null | undefined
  /** Shown in place of a transcript without lines. Without it, the conversation of the call is its transcript. */
  transcriptFallback?: ReactNode
  /** Buttons for the recording file. */
  actions: ReactNode
  link: PlayerLink
}

/** Plays a recording, with its waveform, the latencies from the trace, and the transcript. */
export const Player = (props: PlayerProps) => {
  const { recorded, spans, direction, transcriptFallback, actions, link } = props
  const { file, sound } = recorded
  const playback = usePlayback(file, sound.duration)
  const [hasLatencies, setLatencies] = useState(false)
  const [openRegion, setOpenRegion] = useState<Region>()
  const { setOverlay, setStrip } = useLinkedPlayer(link, playback, sound)
  const hasTranscript = transcriptFallback !== undefined
  const title = useId()
  const { regions, lines } = useMemo(() => {
    const getPeaks = (channel: 0 | 1) => sound.peaks[channel] ?? new Float32Array(0)
    return {
      regions: clipRegions(
        toRegions(spans ?? [], (channel, from, until) => soundEnd(getPeaks(channel), from, until)),
        sound.duration,
      ),
      lines: toTranscript(spans ?? [], (channel, from, until) => soundBegin(getPeaks(channel), from, until)),
    }
  }, [spans, sound])
  const visibleRegions = hasLatencies ? regions : []
  return (
    <div className={classes(styles['frame'], !hasTranscript && styles['wide'])}>
      <div className={styles['player']}>
        <Controls playback={playback} />
        <Wave
          sound={sound}
          direction={direction}
          playback={playback}
          regions={visibleRegions}
          onRegion={setOpenRegion}
          overlayRef={setOverlay}
          stripRef={setStrip}
        />
        <div className={styles['rest']}>
          <FilterSelect label="Speed" value={playback.speed} options={speedOptions} onChange={playback.setSpeed} />
          {spans !== null && (
            <label className={styles['toggle']} title="Show latencies">
              <Timer size={16} aria-hidden="true" />
              <input
                type="checkbox"
                aria-label="Show latencies"
                checked={hasLatencies}
                onChange={({ target }) => setLatencies(target.checked)}
              />
            </label>
          )}
          {actions}
        </div>
        {hasLatencies && regions.length > 0 && <RegionList regions={regions} onRegion={setOpenRegion} />}
        {hasLatencies && regions.length === 0 && (
          <p className="note">
            {spans === undefined
              ? 'Latencies come from the trace of the call, which is not available.'
              : 'The trace contains no events within this recording.'}
          </p>
        )}
      </div>
      {hasTranscript && (
        <section aria-labelledby={title} className={styles['transcript']}>
          <div className={styles['title']}>
            <p id={title}>Transcript</p>
            {lines.length > 0 && <CopyTranscript lines={lines} direction={direction} />}
          </div>
          {lines.length > 0 ? (
            <Transcript lines={lines} direction={direction} playback={playback} />
          ) : (
            transcriptFallback
          )}
        </section>
      )}
      {openRegion && (
        <RegionDialog
          region={openRegion}
          onPlay={() => {
            playback.playFrom(openRegion.start)
            setOpenRegion(undefined)
          }}
          onClose={() => setOpenRegion(undefined)}
        />
      )}
    </div>
  )
}
