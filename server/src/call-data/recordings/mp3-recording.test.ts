import type * as childProcesses from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { hearMp3, tones } from '@patchbay/testkit/fakes/recorder'
import { MPEGDecoder } from 'mpg123-decoder'
import { expect, test, vi } from 'vitest'
import { encodingProcesses } from '../../adapters/mp3/encoder-pool.ts'
import { encodeMp3 } from '../../adapters/speech/encode-mp3.ts'
import { openMp3Recording } from './mp3-recording.ts'

const started = vi.hoisted((): ChildProcess[] => [])
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof childProcesses>()
  const fork = (...args: Parameters<typeof real.fork>) => {
    const child = real.fork(...args)
    started.push(child)
    return child
  }
  return { ...real, fork }
})

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** Kills all processes, and waits until they have ended. */
const killAll = async (): Promise<void> => {
  const running = started.filter(isRunning)
  const ended = running.map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ended)
}

const encodePieces = async (pieces: number, seconds: number): Promise<Buffer> => {
  const encoder = openMp3Recording(8000)
  const parts: Uint8Array[] = []
  for (let piece = 0; piece < pieces; piece += 1) parts.push(await encoder.encode(tones([440, 1000], seconds)))
  parts.push(await encoder.end())
  encoder.close()
  return Buffer.concat(parts)
}

test('a hundred concurrent recordings are each encoded completely by a few processes', async () => {
  const files = await Promise.all(Array.from({ length: 100 }, () => encodePieces(3, 1)))
  for (const file of files) expect(Math.abs((await hearMp3(file)).seconds - 3)).toBeLessThan(0.3)
  expect(started).toHaveLength(encodingProcesses)
})

/** Returns the seconds in which a file is not silent. */
const measureSound = async (file: Buffer): Promise<number> => {
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, sampleRate } = decoder.decode(file)
  decoder.free()
  const samples = channelData[0] ?? new Float32Array(0)
  const windowSamples = sampleRate / 100
  const isLoud = Array.from({ length: Math.floor(samples.length / windowSamples) }, (_, at) =>
    samples.subarray(at * windowSamples, (at + 1) * windowSamples).some((sample) => Math.abs(sample) > 0.1),
  )
  return isLoud.filter(Boolean).length / 100
}

test.each([8000, 16_000, 44_100])(
  'a recording with %i samples per second stays whole if the process of its encoder dies between and within pieces',
  async (sampleRate) => {
    const encoder = openMp3Recording(sampleRate)
    const second = tones([440, 1000], 1, sampleRate)
    const pieceBytes = second.length / 5
    const parts: Uint8Array[] = []
    for (let at = 0; at < 40; at += 1) {
      if (at === 7) await killAll()
      const from = (at % 5) * pieceBytes
      const part = encoder.encode(second.subarray(from, from + pieceBytes))
      if (at === 19) await killAll()
      parts.push(await part)
    }
    await killAll()
    parts.push(await encoder.end())
    encoder.close()
    const file = Buffer.concat(parts)
    // Without the samples that were in the encoders, 0.15 to 0.36 s would be missing for each death.
    expect(await measureSound(file)).toBeGreaterThan(7.95)
    expect((await hearMp3(file)).seconds).toBeLessThan(8.8)
  },
)

test('the speech of a vendor is encoded whole if the process dies in the middle', async () => {
  const sampleRate = 16_000
  const mono = Buffer.from(
    new Int16Array(4 * sampleRate).map((_, at) => 8000 * Math.sin((at * 2 * Math.PI * 440) / sampleRate)).buffer,
  )
  const encoding = encodeMp3({ type: 'pcm', content: mono, sampleRate })
  await killAll()
  const { seconds, hertz } = await hearMp3(await encoding)
  expect(Math.abs(seconds - 4)).toBeLessThan(0.3)
  expect(Math.abs((hertz[0] ?? 0) - 440)).toBeLessThan(10)
})
