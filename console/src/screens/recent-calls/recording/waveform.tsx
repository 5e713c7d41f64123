import { formatClock } from '@patchbay/contract/shared/durations'
import { jumpSeconds, pixelsPerSecond, wavePixels } from '@patchbay/rules/recordings/recordings'
import type { Region } from '@patchbay/rules/recordings/regions'
import { getWhoLabel } from '@patchbay/rules/recordings/speaker-names'
import { type KeyboardEvent, type MouseEvent, type Ref, useEffect, useMemo, useRef } from 'react'
import { classes } from '../../../ui/classes.ts'
import { axisPixels, drawWave, type Inks, normalizationFactors } from './draw-waveform.ts'
import { regionLabel, regionName } from './format-region.ts'
import styles from './recording.module.css'
import type { Sound } from './recording-query.ts'
import type { Playback } from './use-playback.ts'

interface WaveProps {
  sound: Sound
  /** The direction of the call that was recorded. */
  direction: string | null | undefined
  playback: Playback
  /** Regions to mark on the waveform. */
  regions: readonly Region[]
  onRegion: (region: Region) => void
  /** Receives an element that covers the waveform, for other marks. */
  overlayRef: Ref<HTMLDivElement>
  /** Receives an element as wide as the strip of the whole recording, for other marks. */
  stripRef: Ref<HTMLDivElement>
}

const px = (pixels: number): string => `${pixels}px`

/** Reads the theme colors from computed styles, because a canvas cannot use CSS custom properties. */
const getInks = (canvas: HTMLCanvasElement): Inks => {
  const { color, borderTopColor, outlineColor, caretColor, fontFamily } = getComputedStyle(canvas)
  return { coming: color, played: borderTopColor, line: outlineColor, text: caretColor, font: `11px ${fontFamily}` }
}

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/**
 * Returns the scroll position that keeps the playback position visible: centered, or page by page for users who prefer
 * reduced motion.
 */
const toScrollLeft = (head: number, from: number, width: number): number => {
  if (!isStill()) return head - width / 2
  return head < from || head > from + width - 1 ? head - width / 10 : from
}

/** Places the mark of the visible part on the strip of the whole recording. */
const markVisible = (mark: HTMLElement | null, { scrollLeft, clientWidth }: HTMLElement, whole: number): void => {
  if (mark === null) return
  mark.style.insetInlineStart = `${(scrollLeft / whole) * 100}%`
  mark.style.inlineSize = `${Math.min(1, clientWidth / whole) * 100}%`
}

const RegionMark = ({ region, onOpen }: { region: Region; onOpen: () => void }) => (
  <button
    type="button"
    tabIndex={-1}
    aria-label={regionName(region)}
    title={regionName(region)}
    className={classes(styles['region'], styles[region.kind])}
    style={{
      insetInlineStart: px(region.start * pixelsPerSecond),
      inlineSize: px((region.end - region.start) * pixelsPerSecond),
      insetBlockStart: px(region.channel * wavePixels),
    }}
    onClick={onOpen}
  >
    <span>{regionLabel(region)}</span>
  </button>
)

/**
 * Shows the waveform of each channel with the playback position. Only the visible part is drawn, because a recording of
 * one hour is 360,000 pixels wide.
 */
export const Wave = (props: WaveProps) => {
  const { sound, direction, playback, regions, onRegion, overlayRef, stripRef } = props
  const { peaks } = sound
  const { duration, at, now, isPlaying, interactionCount, seek, jump, toggle } = playback
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const visiblePart = useRef<HTMLSpanElement>(null)
  const isFollowing = useRef(true)
  const scales = useMemo(() => normalizationFactors(peaks), [peaks])
  const height = peaks.length * wavePixels

  const draw = useRef(() => {})
  useEffect(() => {
    draw.current = () => {
      const [view, paper] = [scroller.current, canvas.current]
      const pen = paper?.getContext('2d')
      if (!view || !paper || !pen) return
      const [width, dense] = [view.clientWidth, window.devicePixelRatio]
      const [across, down] = [Math.round(width * dense), Math.round((height + axisPixels) * dense)]
      if (paper.width !== across) paper.width = across
      if (paper.height !== down) paper.height = down
      pen.setTransform(dense, 0, 0, dense, 0, 0)
      const head = now() * pixelsPerSecond
      markVisible(visiblePart.current, view, duration * pixelsPerSecond)
      drawWave(pen, { peaks, scales, duration, from: view.scrollLeft, width, head }, getInks(paper))
    }
    draw.current()
  }, [duration, height, now, peaks, scales])

  useEffect(() => {
    const [view, paper] = [scroller.current, canvas.current]
    if (!view || !paper) return undefined
    const redraw = () => draw.current()
    const sizes = new ResizeObserver(redraw)
    sizes.observe(view)
    view.addEventListener('scroll', redraw, { passive: true })
    // The colors change in a CSS transition, so its end signals a change of theme.
    paper.addEventListener('transitionend', redraw)
    return () => {
      sizes.disconnect()
      view.removeEventListener('scroll', redraw)
      paper.removeEventListener('transitionend', redraw)
    }
  }, [])

  const lastInteractionCount = useRef(interactionCount)
  useEffect(() => {
    if (lastInteractionCount.current !== interactionCount) isFollowing.current = true
    lastInteractionCount.current = interactionCount
    const follow = (seconds: number) => {
      const view = scroller.current
      const head = seconds * pixelsPerSecond
      if (view && isFollowing.current) view.scrollLeft = toScrollLeft(head, view.scrollLeft, view.clientWidth)
      draw.current()
    }
    follow(at)
    if (!isPlaying) return undefined
    let frame = requestAnimationFrame(function next() {
      follow(now())
      frame = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(frame)
  }, [interactionCount, at, isPlaying, now])

  const leave = () => {
    isFollowing.current = false
  }
  const steps: Partial<Record<string, () => void>> = {
    ArrowRight: () => seek(at + 1),
    ArrowUp: () => seek(at + 1),
    ArrowLeft: () => seek(at - 1),
    ArrowDown: () => seek(at - 1),
    PageUp: () => jump(jumpSeconds),
    PageDown: () => jump(-jumpSeconds),
    Home: () => seek(0),
    End: () => seek(duration),
    ' ': toggle,
  }
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    step()
  }
  const click = ({ clientX, currentTarget }: MouseEvent) => {
    const from = scroller.current?.scrollLeft ?? 0
    seek((clientX - currentTarget.getBoundingClientRect().left + from) / pixelsPerSecond)
  }

  return (
    <div className={styles['wave']}>
      <div className={styles['channels']} aria-hidden="true">
        {peaks.map((_, channel) => (
          // oxlint-disable-next-line react/no-array-index-key -- a channel is its number
          <span key={channel} style={{ insetBlockStart: px(channel * wavePixels) }}>
            {getWhoLabel(channel === 0 ? 'caller' : 'platform', direction)}
          </span>
        ))}
      </div>
      <div ref={scroller} className={styles['scroller']} onWheel={leave} onTouchMove={leave}>
        <div
          className={styles['track']}
          style={{ inlineSize: px(Math.ceil(duration * pixelsPerSecond)), blockSize: px(height + axisPixels) }}
        >
          <div
            role="slider"
            tabIndex={0}
            aria-label="Position in the recording"
            aria-valuemin={0}
            aria-valuemax={Math.ceil(duration)}
            aria-valuenow={Math.floor(at)}
            aria-valuetext={`${formatClock(at)} of ${formatClock(duration)}`}
            className={styles['slider']}
            onKeyDown={walk}
            onClick={click}
          >
            <canvas ref={canvas} className={styles['canvas']} />
          </div>
          <div ref={overlayRef} className={styles['overlay']} />
          {regions.length > 0 && (
            <div role="group" aria-label="Latencies on the waveform">
              {regions.map((region) => (
                <RegionMark key={region.id} region={region} onOpen={() => onRegion(region)} />
              ))}
            </div>
          )}
        </div>
      </div>
      <div className={styles['strip']} aria-hidden="true">
        <div ref={stripRef} />
        <span ref={visiblePart} />
      </div>
    </div>
  )
}
