import { formatClock } from '@patchbay/contract/shared/durations'
import { peaksPerSecond, pixelsPerSecond, silence, wavePixels } from '@patchbay/rules/recordings/recordings'

/** Draws the visible part of a waveform. Widths and positions are CSS pixels. */

export const axisPixels = 12

const peaksOfPixel = peaksPerSecond / pixelsPerSecond

export interface WaveViewport {
  peaks: readonly Float32Array[]
  /** Scale factor of each channel. The loudest peak fills the available height. */
  scales: readonly number[]
  duration: number
  /** First visible pixel, followed by the number of visible pixels. */
  from: number
  width: number
  /** Playback position in pixels from the beginning. */
  head: number
}

export interface Inks {
  played: string
  coming: string
  line: string
  text: string
  font: string
}

/** Returns the scale factor of each channel. The factor is limited, so the noise of a silent channel stays small. */
export const normalizationFactors = (peaks: readonly Float32Array[]): number[] =>
  peaks.map((channel) => 1 / channel.reduce((loudest, peak) => Math.max(loudest, Math.abs(peak)), silence))

const drawChannel = (
  pen: CanvasRenderingContext2D,
  { peaks, scales, from, width, head }: WaveViewport,
  channel: number,
  inks: Inks,
) => {
  const samples = peaks[channel] ?? new Float32Array(0)
  const half = wavePixels / 2
  const middle = channel * wavePixels + half
  const scale = (scales[channel] ?? 1) * half
  const parts = { played: new Path2D(), coming: new Path2D() }
  for (let x = 0; x < width; x += 1) {
    const first = Math.round((from + x) * peaksOfPixel)
    if (first >= samples.length) break
    let [lowest, highest] = [0, 0]
    for (let at = first; at < first + peaksOfPixel; at += 1) {
      const peak = samples[at] ?? 0
      if (peak < lowest) lowest = peak
      if (peak > highest) highest = peak
    }
    const height = Math.max(1, (highest - lowest) * scale)
    parts[from + x < head ? 'played' : 'coming'].rect(x, middle - Math.max(highest * scale, 0.5), 1, height)
  }
  for (const part of ['played', 'coming'] as const) {
    pen.fillStyle = inks[part]
    pen.fill(parts[part])
  }
}

/** Draws a tick every fifth of a second, a longer tick every second, and a label every five seconds. */
const drawAxis = (pen: CanvasRenderingContext2D, { duration, from, width }: WaveViewport, top: number, inks: Inks) => {
  const perSecond = 5
  const step = pixelsPerSecond / perSecond
  const last = Math.min(Math.floor(duration * perSecond), Math.ceil((from + width) / step))
  pen.font = inks.font
  pen.textBaseline = 'bottom'
  // Starts before the visible part, because a label there can extend into it.
  for (let tick = Math.max(0, Math.floor((from - 60) / step)); tick <= last; tick += 1) {
    const x = tick * step - from
    const isSecond = tick % perSecond === 0
    pen.fillStyle = inks.line
    pen.fillRect(x, top, 1, isSecond ? 5 : 3)
    if (tick % (5 * perSecond) !== 0) continue
    pen.fillStyle = inks.text
    pen.fillText(formatClock(tick / perSecond), x + 4, top + axisPixels)
  }
}

export const drawWave = (pen: CanvasRenderingContext2D, viewport: WaveViewport, inks: Inks): void => {
  const { peaks, from, width, head } = viewport
  const top = peaks.length * wavePixels
  pen.clearRect(0, 0, width, top + axisPixels)
  for (let channel = 0; channel < peaks.length; channel += 1) {
    pen.fillStyle = inks.line
    pen.fillRect(0, channel * wavePixels + wavePixels / 2, width, 1)
    drawChannel(pen, viewport, channel, inks)
  }
  drawAxis(pen, viewport, top, inks)
  pen.fillStyle = inks.text
  pen.fillRect(head - from, 0, 1, top)
}
