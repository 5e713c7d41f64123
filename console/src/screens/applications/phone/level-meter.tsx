import { useEffect, useRef } from 'react'
import styles from './phone.module.css'

/** The quietest level that a meter shows, in decibels below full scale. */
const minDecibels = -60

/** Returns the level of samples as a share of the meter, from 0 to 1. */
export const toLevel = (samples: Float32Array): number => {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const decibels = 10 * Math.log10(sum / samples.length)
  return Math.max(0, Math.min(1, 1 - decibels / minDecibels))
}

/** Shows how loud a stream is, many times a second. */
export const LevelMeter = ({ label, stream }: { label: string; stream: MediaStream }) => {
  const meter = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const context = new AudioContext()
    const analyser = new AnalyserNode(context, { fftSize: 1024 })
    context.createMediaStreamSource(stream).connect(analyser)
    const samples = new Float32Array(analyser.fftSize)
    let frame = 0
    const draw = () => {
      analyser.getFloatTimeDomainData(samples)
      const level = toLevel(samples)
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)))
      if (bar.current) bar.current.style.transform = `scaleX(${level})`
      frame = requestAnimationFrame(draw)
    }
    draw()
    return () => {
      cancelAnimationFrame(frame)
      void context.close()
    }
  }, [stream])
  return (
    <div className={styles['level']}>
      <span aria-hidden="true">{label}</span>
      <div
        ref={meter}
        className={styles['meter']}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={0}
      >
        <div ref={bar} className={styles['bar']} />
      </div>
    </div>
  )
}
