import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { createMp3Encoder } from '@patchbay/server/adapters/mp3/mp3-encoder'
import { UnreadableAudio } from '@patchbay/server/call-data/recordings/decode-audio'
import { startDetection } from '@patchbay/server/call-data/recordings/detect-voice'
import { createEncoder } from '@patchbay/server/call-data/recordings/encoders'
import { getDataStart, parseMp3Header } from '@patchbay/server/call-data/recordings/muting/mp3-frames'
import { muteMp3 } from '@patchbay/server/call-data/recordings/muting/mute-mp3'
import { muteRecording } from '@patchbay/server/call-data/recordings/muting/mute-recording'
import { assertEqual, assertRule, type FuzzTarget } from '../engine/target.ts'

/**
 * Stored recordings: their voices are detected, and parts are muted. Received audio: it is encoded as MP3. The first byte
 * of an input chooses the work and the format.
 */

const rates = [8000, 16_000, 44_100, 48_000] as const
const second = 1000
const muted = { caller: [{ start: 0, end: second }], agent: [{ start: 20, end: 3600 * second }] }
const { signal } = new AbortController()

async function* toPieces(content: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes) yield Buffer.from(content.subarray(at, at + pieceBytes))
}

const collect = async (pieces: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return Buffer.concat(parts)
}

/** Runs work with a recording, which may be unreadable. */
const ifReadable = async (work: () => Promise<void>): Promise<void> => {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UnreadableAudio)) throw error
  }
}

const openFile = (content: Buffer, pieceBytes: number): StoredBytes => ({
  size: content.length,
  read: (first, last) => Promise.resolve(toPieces(content.subarray(first, last + 1), pieceBytes)),
})

/** Bytes that the muter may keep, because later frames can have data in them. */
const maxKeptBytes = 32_768

/** Checks that the muter returns bytes soon, so that its memory does not grow with the file. */
const checkKeptBytes = async (content: Buffer, pieceBytes: number): Promise<void> => {
  let read = 0
  const count = async function* () {
    for await (const piece of toPieces(content, pieceBytes)) {
      read += piece.length
      yield piece
    }
  }
  let returned = 0
  for await (const piece of muteMp3(count(), [muted.caller, muted.agent])) {
    const keptBytes = read - returned
    assertRule(keptBytes <= maxKeptBytes + pieceBytes, () => `the muter keeps ${keptBytes} bytes of ${read}`)
    returned += piece.length
  }
  assertRule(returned === content.length, () => `${returned} of ${content.length} bytes are returned`)
}

const mute = async (content: Buffer, format: RecordFormat): Promise<void> => {
  const pieceBytes = Math.max(1 + (content[5] ?? 0), content.length >> 7)
  await ifReadable(async () => {
    const whole = await muteRecording(openFile(content, content.length + 1), format, muted, signal)
    const bytes = await collect(await whole.read(0, content.length - 1, signal))
    assertRule(bytes.length === content.length, () => `${bytes.length} of ${content.length} bytes are returned`)
    const pieces = await muteRecording(openFile(content, pieceBytes), format, muted, signal)
    const again = await collect(await pieces.read(0, content.length - 1, signal))
    assertRule(bytes.equals(again), () => `a file and its pieces of ${pieceBytes} bytes are muted differently`)
  })
  if (format === 'mp3') await checkKeptBytes(content, pieceBytes)
}

const detect = async (content: Buffer, format: RecordFormat): Promise<void> => {
  const detection = await startDetection(format)
  try {
    await ifReadable(async () => {
      for await (const piece of toPieces(content, Math.max(1 + (content[5] ?? 0), content.length >> 4)))
        detection.add(piece)
      const { activity, encoderDelayMs } = detection.finish()
      assertRule(Number.isFinite(encoderDelayMs), () => `the delay is ${encoderDelayMs}`)
      // Each level, which stands for 10 ms, takes some bytes of the file.
      assertRule(JSON.stringify(activity).length <= 1000 + 200 * content.length, () => 'the activity is long')
    })
  } finally {
    detection.close()
  }
}

const encode = async (samples: Buffer): Promise<void> => {
  const sampleRate = rates[(samples[0] ?? 0) % rates.length] ?? rates[0]
  const encoder = await createMp3Encoder({ sampleRate, channels: 2 })
  const complete = samples.length - (samples.length % 4)
  const half = complete - ((complete >> 1) % 4) - (complete >> 1)
  const parts = [samples.subarray(0, half), samples.subarray(half, complete)].map((part) =>
    Buffer.from(encoder.encode(part)),
  )
  const encoded = Buffer.concat([...parts, encoder.end()])
  let at = 0
  for (let header = parseMp3Header(encoded, 0); header !== undefined; header = parseMp3Header(encoded, at)) {
    assertRule(header.size >= getDataStart(header), () => 'a frame is too short')
    at += header.size
  }
  assertEqual(at, encoded.length, 'the end of the last frame and of the file')
}

// The decoder reports each damaged frame, which would hide the report of the run.
Object.assign(globalThis.console, { error: () => {} })

const works: readonly ((content: Buffer) => Promise<void>)[] = [
  (content) => mute(content, 'mp3'),
  (content) => mute(content, 'wav'),
  (content) => detect(content, 'mp3'),
  (content) => detect(content, 'wav'),
  encode,
]

/** Returns a sound with two channels, as 16-bit samples. */
const createSamples = (pairs: number): Buffer => {
  const samples = Buffer.alloc(4 * pairs)
  for (let at = 0; at < pairs; at += 1) {
    samples.writeInt16LE(Math.round(9000 * Math.sin(at / 3) * Math.sin(at / 900)), 4 * at)
    samples.writeInt16LE(Math.round(5000 * Math.sin(at / 7 + Math.sin(at))), 4 * at + 2)
  }
  return samples
}

const createFile = async (format: RecordFormat, sampleRate: number): Promise<Buffer> => {
  const samples = createSamples(2500)
  if (format === 'wav') return Buffer.concat([createEncoder('wav', sampleRate).head(samples.length), samples])
  const encoder = await createMp3Encoder({ sampleRate, channels: 2 })
  return Buffer.concat([Buffer.from(encoder.encode(samples)), encoder.end()])
}

const withWork = (work: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([work]), content])

export const target: FuzzTarget = {
  name: 'mp3',
  files: /\/recordings\/(?:decode-audio|detect-voice|muting\/[\w-]+)\.ts$|\/adapters\/mp3\/mp3-encoder\.ts$/,
  maxBytes: 65_536,
  maxCpuMs: 3000,
  maxRssMb: 800,
  tokens: ['RIFF', 'WAVEfmt ', 'data', 'fmt ', 'ID3\u0003', 'LIST', 'TAG', 'Xing', 'LAME', '\0\0\0\0'],
  async createSeeds() {
    const [mp3, fastMp3, wav] = [
      await createFile('mp3', 8000),
      await createFile('mp3', 48_000),
      await createFile('wav', 8000),
    ]
    const tagged = Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\0\u0004abcd'), mp3])
    const files = [mp3, wav, mp3, wav, createSamples(1000)].map((content, work) => withWork(work, content))
    return [...files, withWork(0, fastMp3), withWork(0, tagged), withWork(2, fastMp3)]
  },
  async run(input) {
    await works[(input[0] ?? 0) % works.length]?.(input.subarray(1))
  },
}
