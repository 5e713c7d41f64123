import { createHash } from 'node:crypto'
import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import type { Interval } from '@patchbay/rules/conversations/response-gap'
import { composeCall, toPcm } from '@patchbay/testkit/calls/voices/synthetic-call'
import { MPEGDecoder } from 'mpg123-decoder'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../demo/seeded-random.ts'
import { UnreadableAudio } from '../decode-audio.ts'
import { createEncoder } from '../encoders.ts'
import { getDataStart, parseMp3Header, parseSideInfo, readBits, writeCrc } from './mp3-frames.ts'
import { muteRecording } from './mute-recording.ts'

/** Muting of stored files, with recordings of two voices. */

const call = composeCall(7, { noise: 'pink', signalToNoise: 20 }, 4)
/** The voices overlap and are loud, so that frames borrow the space of each other. */
const doubleTalk = { caller: call.caller, agent: call.caller.toReversed() }

const encode = async (pcm: Buffer, format: RecordFormat, sampleRate = 8000): Promise<Buffer> => {
  const encoder = createEncoder(format, sampleRate)
  const encoded = Buffer.concat([await encoder.encode(pcm), await encoder.end()])
  encoder.close()
  return Buffer.concat([encoder.head(encoded.length), encoded])
}

/** Stores bytes that are read in pieces. */
const toFile = (content: Buffer, pieceBytes = 10_007): StoredBytes & { readBytes: () => number } => {
  let total = 0
  return {
    size: content.length,
    readBytes: () => total,
    read: (first, last) =>
      Promise.resolve(
        (async function* () {
          for (let at = first; at <= last; at += pieceBytes) {
            const piece = content.subarray(at, Math.min(last + 1, at + pieceBytes))
            total += piece.length
            yield piece
          }
        })(),
      ),
  }
}

const { signal } = new AbortController()
const readAll = async ({ size, read }: StoredBytes, first = 0, last = size - 1): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const part of await read(first, last, signal)) parts.push(part)
  return Buffer.concat(parts)
}

interface Muted {
  caller?: readonly Interval[]
  agent?: readonly Interval[]
}

const mute = async (content: Buffer, format: RecordFormat, { caller = [], agent = [] }: Muted, pieceBytes?: number) =>
  muteRecording(toFile(content, pieceBytes), format, { caller, agent }, signal)

const decodeMp3 = async (
  content: Buffer,
): Promise<{ channels: Float32Array[]; sampleRate: number; errors: number }> => {
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  const { channelData, sampleRate, errors } = decoder.decode(content)
  decoder.free()
  return { channels: channelData, sampleRate, errors: errors.length }
}

const measureLoudness = (samples: Float32Array | undefined, sampleRate: number, { start, end }: Interval): number => {
  const part = samples?.subarray((start * sampleRate) / 1000, (end * sampleRate) / 1000) ?? new Float32Array(1)
  return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length)
}

/** A turn of each side, without its edges. */
const findRange = (speaker: 'caller' | 'agent'): Interval => {
  const { start, end } = call.turns.filter((turn) => turn.speaker === speaker)[1] ?? { start: 0, end: 0 }
  return { start: start + 100, end: end - 100 }
}
const [callerRange, agentRange] = [findRange('caller'), findRange('agent')]

describe('a muted MP3 recording', () => {
  test.each([
    ['two voices', call, 8000],
    ['two voices at 16 kHz', call, 16_000],
    ['two voices at 44.1 kHz', call, 44_100],
    ['double talk', doubleTalk, 8000],
    ['double talk at 48 kHz', doubleTalk, 48_000],
  ])('is silent in the ranges of each channel, and unchanged elsewhere (%s)', async (_what, voices, sampleRate) => {
    const content = await encode(toPcm(voices), 'mp3', sampleRate)
    const toRange = ({ start, end }: Interval) => ({
      start: (start * 8000) / sampleRate,
      end: (end * 8000) / sampleRate,
    })
    const ranges = [toRange(callerRange), toRange(agentRange)] as const
    const result = await readAll(await mute(content, 'mp3', { caller: [ranges[0]], agent: [ranges[1]] }))
    expect(result.length).toBe(content.length)
    const [before, after] = [await decodeMp3(content), await decodeMp3(result)]
    expect([after.errors, after.sampleRate]).toEqual([0, before.sampleRate])
    const edge = 4 * 1152
    for (const [channel, { start, end }] of ranges.entries()) {
      const heard = { start, end: end + (1105 * 1000) / sampleRate }
      expect(measureLoudness(before.channels[channel], sampleRate, heard)).toBeGreaterThan(0.001)
      expect(measureLoudness(after.channels[channel], sampleRate, heard)).toBe(0)
      const isNear = (at: number) =>
        ranges.some((one) => at > (one.start * sampleRate) / 1000 - edge && at < (one.end * sampleRate) / 1000 + edge)
      const samples = before.channels[channel] ?? new Float32Array()
      const changed = samples.findIndex((sample, at) => !isNear(at) && sample !== after.channels[channel]?.[at])
      expect([after.channels[channel]?.length, changed]).toEqual([samples.length, -1])
    }
  })
})

const ranges = { caller: [callerRange], agent: [agentRange] }
const pcm = toPcm(call)

describe.each(['mp3', 'wav'] as const)('every range of a muted recording (%s)', (format) => {
  test('has the bytes of the whole file, however the file is read', async () => {
    const content = await encode(pcm, format)
    const whole = await readAll(await mute(content, format, ranges))
    expect(whole.equals(content)).toBe(false)
    const random = createRandom(1)
    for (let round = 0; round < 40; round += 1) {
      const first = random.below(whole.length)
      const last = Math.min(whole.length - 1, first + random.below(round % 2 === 0 ? 50 : 200_000))
      const muted = await mute(content, format, ranges, 1 + random.below(20_000))
      expect((await readAll(muted, first, last)).equals(whole.subarray(first, last + 1))).toBe(true)
    }
  })

  test('with nothing to mute is that of the stored file', async () => {
    const content = await encode(pcm, format)
    expect((await readAll(await mute(content, format, {}))).equals(content)).toBe(true)
  })
})

test('a muted WAV recording has zeros in the range of a channel, and all other samples', async () => {
  const content = await encode(pcm, 'wav')
  const result = await readAll(await mute(content, 'wav', ranges))
  const expected = Buffer.from(content)
  for (const [channel, { start, end }] of [callerRange, agentRange].entries())
    for (let sample = start * 8; sample < end * 8; sample += 1) expected.writeInt16LE(0, 44 + sample * 4 + channel * 2)
  expect(result.equals(expected)).toBe(true)
})

describe('a muted MP3 file', () => {
  const everything = { caller: [{ start: 0, end: 1e9 }], agent: [{ start: 0, end: 1e9 }] }
  const listFrames = (content: Buffer): number[] => {
    const positions: number[] = []
    for (let at = 0; at < content.length; ) {
      const header = parseMp3Header(content, at)
      if (header === undefined) break
      positions.push(at)
      at += header.size
    }
    return positions
  }
  /** Returns the data of all frames in a row. */
  const joinData = (content: Buffer): Buffer =>
    Buffer.concat(
      listFrames(content).map((at) => {
        const header = parseMp3Header(content, at)
        return header === undefined ? Buffer.alloc(0) : content.subarray(at + getDataStart(header), at + header.size)
      }),
    )

  test('contains nothing of what is muted, even if a player ignores what frames say about their data', async () => {
    const content = await encode(pcm, 'mp3')
    const result = await readAll(await mute(content, 'mp3', everything))
    expect(listFrames(result)).toEqual(listFrames(content))
    const data = joinData(result)
    let [position, voiceBits, remaining] = [0, 0, 0]
    for (const at of listFrames(content)) {
      const header = parseMp3Header(content, at)
      if (header === undefined) break
      const frame = content.subarray(at, at + header.size)
      const { dataBefore, granules } = parseSideInfo(frame, header)
      const bits = granules.reduce((sum, { dataBits }) => sum + dataBits, 0)
      voiceBits += bits
      for (let bit = 0; bit < bits; bit += 1) remaining += readBits(data, (position - dataBefore) * 8 + bit, 1)
      position += header.size - getDataStart(header)
    }
    expect(voiceBits).toBeGreaterThan(content.length)
    expect(remaining).toBe(0)
  })

  test('keeps a tag, and has zeros in place of damaged and other bytes', async () => {
    const content = await encode(pcm, 'mp3')
    const frames = listFrames(content)
    const [second = 0, third = 0] = frames.slice(101, 103)
    const tag = Buffer.concat([
      Buffer.from('ID3\u0003\u0000\u0000\u0000\u0000\u0001\u0005', 'latin1'),
      Buffer.alloc(133, 7),
    ])
    const damaged = Buffer.concat([
      tag,
      content.subarray(0, second - 10),
      Buffer.alloc(3000, 0x55),
      content.subarray(third, content.length - 30),
    ])
    const result = await readAll(await mute(damaged, 'mp3', {}))
    expect(result.length).toBe(damaged.length)
    const expected = Buffer.from(damaged)
    expected.fill(0, tag.length + second, tag.length + second + 2990)
    expected.fill(0, tag.length + second + 2990 + (frames.at(-1) ?? 0) - third)
    expect(result.equals(expected)).toBe(true)
    const silent = await decodeMp3(await readAll(await mute(damaged, 'mp3', everything)))
    expect(silent.channels.map((samples) => samples.every((sample) => sample === 0))).toEqual([true, true])
  })

  test('has the right checksums', async () => {
    const content = await encode(pcm, 'mp3')
    const withChecksums = Buffer.from(content)
    const [at = 0] = listFrames(content).slice(3)
    withChecksums.writeUInt8((content[at + 1] ?? 0) & 0xfe, at + 1)
    const header = parseMp3Header(withChecksums, at)
    if (header === undefined) throw new Error('no frame')
    const frame = withChecksums.subarray(at, at + header.size)
    writeCrc(frame, header)
    const before = frame.readUInt16BE(4)
    const result = await readAll(await mute(withChecksums, 'mp3', everything))
    const after = Buffer.from(result.subarray(at, at + header.size))
    const written = after.readUInt16BE(4)
    expect(written).not.toBe(before)
    writeCrc(after, header)
    expect(after.readUInt16BE(4)).toBe(written)
  })

  test('keeps the size of hostile bytes, in linear time', async () => {
    const random = createRandom(5)
    const content = await encode(pcm, 'mp3')
    for (let round = 0; round < 20; round += 1) {
      const hostile = Buffer.from(content.subarray(0, 60_000))
      for (let change = 0; change < 200; change += 1) hostile[1000 + random.below(59_000)] = random.below(256)
      const result = await readAll(await mute(hostile, 'mp3', everything))
      expect(result.length).toBe(hostile.length)
      const { channels } = await decodeMp3(result)
      expect(channels.every((samples) => samples.every((sample) => sample === 0))).toBe(true)
    }
    const noise = Buffer.from(Array.from({ length: 2_000_000 }, (_, at) => (at % 3 === 0 ? 0xff : 0xe3)))
    const startedAt = performance.now()
    await readAll(await mute(Buffer.concat([content, noise]), 'mp3', everything))
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('keeps little of a file that has frames only at its beginning', async () => {
    const content = await encode(pcm, 'mp3')
    const firstFrames = content.subarray(0, 2 * (parseMp3Header(content, 0)?.size ?? 0))
    const file = toFile(Buffer.concat([firstFrames, Buffer.alloc(1_000_000)]))
    const muted = await muteRecording(file, 'mp3', everything, signal)
    const readBefore = file.readBytes()
    let [returned, maxKeptBytes] = [0, 0]
    for await (const part of await muted.read(0, file.size - 1, signal)) {
      maxKeptBytes = Math.max(maxKeptBytes, file.readBytes() - readBefore - returned)
      returned += part.length
    }
    expect(returned).toBe(file.size)
    expect(maxKeptBytes).toBeLessThan(50_000)
  })
})

describe('is not muted, because it is unreadable', () => {
  test.each<[string, RecordFormat, Buffer]>([
    ['an empty file', 'mp3', Buffer.alloc(0)],
    ['a text', 'mp3', Buffer.from('<html>Not Found</html>')],
    ['an empty WAV file', 'wav', Buffer.alloc(0)],
    ['a WAV file without samples', 'wav', Buffer.from('RIFF    WAVE')],
  ])('%s', async (_what, format, content) => {
    await expect(mute(content, format, {})).rejects.toThrow(UnreadableAudio)
  })

  test('a WAV file with one channel', async () => {
    const wav = await encode(pcm, 'wav')
    wav.writeUInt16LE(1, 22)
    await expect(mute(wav, 'wav', {})).rejects.toThrow('two channels')
  })
})

test('a recording of four hours is muted piece by piece', async () => {
  const part = await encode(toPcm(doubleTalk), 'mp3')
  const repeats = Math.ceil((4 * 3600 * 8000) / doubleTalk.caller.length)
  const size = part.length * repeats
  const file: StoredBytes = {
    size,
    read: (first, last) =>
      Promise.resolve(
        (async function* () {
          for (let at = first; at <= last; at += part.length)
            yield part.subarray(0, Math.min(part.length, last + 1 - at))
        })(),
      ),
  }
  const always = [{ start: 0, end: 1e9 }]
  const muted = await muteRecording(file, 'mp3', { caller: always, agent: [] }, signal)
  const before = process.memoryUsage().arrayBuffers
  const hash = createHash('sha256')
  let [total, peak] = [0, 0]
  for await (const bytes of await muted.read(0, size - 1, signal)) {
    hash.update(bytes)
    total += bytes.length
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
  }
  expect(total).toBe(size)
  expect(peak).toBeLessThan(150_000_000)
})
