import type { Interval } from '@patchbay/rules/conversations/response-gap'
import { mp3DelaySamples, UnreadableAudio } from '../decode-audio.ts'
import {
  clearBits,
  getDataStart,
  getSideInfoStart,
  type Mp3Header,
  moveBits,
  parseMp3Header,
  parseSideInfo,
  writeCrc,
} from './mp3-frames.ts'
import type { MutedChannels } from './mute-wav.ts'

/**
 * Mutes channels of an MP3 stream without decoding it: the audio data of a muted channel is removed from its frame, and
 * the rest of the frame is kept bit by bit. Frames keep their sizes, so the file keeps its size, and other audio is not
 * encoded a second time. What is no frame with two channels becomes zeros.
 */

/** The audio data of a frame begins up to this many bytes before it, in earlier frames. */
const maxDataBefore = 511

/**
 * Bytes of the file from a frame to the last one that can have data in it. The smallest frames need 12 kB for 511 bytes of
 * data. More lie between two frames only in a damaged file, which must not use more memory.
 */
const maxDistance = 14_336

/** A tag at the beginning of a file (ID3v2 §3.1). Its size has seven bits per byte. */
const id3HeaderBytes = 10
const getTagBytes = (bytes: Buffer): number =>
  bytes.toString('latin1', 0, 3) === 'ID3'
    ? bytes.subarray(6, id3HeaderBytes).reduce((size, byte) => (size << 7) | (byte & 0x7f), 0) + id3HeaderBytes
    : 0

/** Bytes that are no frame. */
interface OtherBytes {
  bytes: Buffer
  /** Position in the file. */
  position: number
}

/** A frame that waits until no later frame can have data in it. */
interface WaitingFrame extends OtherBytes {
  header: Mp3Header
  /** Position of its data in the data of all frames. */
  dataAt: number
}

/** Samples after a frame in which it is still heard: a half frame of overlap (576), and the filter bank (481). */
const reverberationSamples = 576 + 481

/** Says which channels are muted at the time of each frame. Frames are in chronological order. */
class MutedFrames {
  readonly #channels: readonly { ranges: readonly Interval[]; next: number }[]

  constructor(channels: MutedChannels) {
    this.#channels = channels.map((ranges) => ({ ranges, next: 0 }))
  }

  /** @param first the first sample of the frame */
  find(first: number, { samples, sampleRate }: Mp3Header): boolean[] {
    // The encoder has delayed the audio, and the decoder's filters let a frame sound on.
    const toMs = (sample: number) => (sample * 1000) / sampleRate
    const [start, end] = [toMs(first - mp3DelaySamples), toMs(first + samples + reverberationSamples)]
    return this.#channels.map((channel) => {
      while ((channel.ranges[channel.next]?.end ?? start) < start) channel.next += 1
      return (channel.ranges[channel.next]?.start ?? end) < end
    })
  }
}

class Mp3Muter {
  readonly #mutedFrames: MutedFrames
  #rest: Buffer = Buffer.alloc(0)
  #first: Mp3Header | undefined
  #isInSync = false
  #tagBytes: number | undefined
  #sample = 0
  #dataAt = 0
  /** Frames, and bytes that are no frames, in the order of the file. */
  #waiting: (WaitingFrame | OtherBytes)[] = []
  #waitingData = 0
  /** Position in the file of the bytes that have not been parsed. */
  #position = 0

  constructor(channels: MutedChannels) {
    this.#mutedFrames = new MutedFrames(channels)
  }

  get hasFrames(): boolean {
    return this.#first !== undefined
  }

  /** Returns the muted bytes that are complete. Without `bytes`, returns the rest. */
  add(bytes?: Uint8Array): Buffer[] {
    if (bytes !== undefined) this.#rest = Buffer.concat([this.#rest, bytes])
    this.#parse(bytes === undefined)
    const complete: Buffer[] = []
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (bytes !== undefined && !this.#canLeave(next)) break
      complete.push(next.bytes)
      this.#waiting.shift()
      if ('header' in next) this.#waitingData -= next.bytes.length - getDataStart(next.header)
    }
    return complete
  }

  #canLeave(next: WaitingFrame | OtherBytes): boolean {
    const own = 'header' in next ? next.bytes.length - getDataStart(next.header) : 0
    return this.#waitingData - own >= maxDataBefore || this.#position - next.position > maxDistance
  }

  /** Adds bytes that are no frame. */
  #addOther(bytes: Buffer): void {
    if (bytes.length > 0) this.#waiting.push({ bytes, position: this.#position })
    this.#position += bytes.length
  }

  /** Returns the header of a frame like the others, which another frame or the end of the file follows. */
  #findHeader(at: number, isEnd: boolean): Mp3Header | 'unknown' | undefined {
    const bytes = this.#rest
    const header = parseMp3Header(bytes, at)
    if (header === undefined) return at + 4 > bytes.length && !isEnd ? 'unknown' : undefined
    const { isMpeg1, sampleRate } = this.#first ?? header
    if (header.isMpeg1 !== isMpeg1 || header.sampleRate !== sampleRate || header.size < getDataStart(header))
      return undefined
    const end = at + header.size
    if (end > bytes.length) return isEnd ? undefined : 'unknown'
    if (this.#isInSync || (isEnd && end === bytes.length)) return header
    if (end + 4 > bytes.length) return isEnd ? undefined : 'unknown'
    return parseMp3Header(bytes, end) === undefined ? undefined : header
  }

  #parse(isEnd: boolean): void {
    if (this.#tagBytes === undefined) {
      if (this.#rest.length < id3HeaderBytes && !isEnd) return
      this.#tagBytes = getTagBytes(this.#rest)
    }
    let at = Math.min(this.#tagBytes, this.#rest.length)
    this.#addOther(Buffer.from(this.#rest.subarray(0, at)))
    this.#tagBytes -= at
    let skipped = 0
    const skip = (): void => {
      this.#addOther(Buffer.alloc(skipped))
      skipped = 0
    }
    while (at < this.#rest.length) {
      const header = this.#findHeader(at, isEnd)
      if (header === 'unknown') break
      this.#isInSync = header !== undefined
      if (header === undefined) {
        skipped += 1
        at += 1
        continue
      }
      skip()
      this.#addFrame(Buffer.from(this.#rest.subarray(at, at + header.size)), header)
      at += header.size
    }
    skip()
    this.#rest = Buffer.from(this.#rest.subarray(at))
  }

  #addFrame(bytes: Buffer, header: Mp3Header): void {
    this.#first ??= header
    const frame = { bytes, header, dataAt: this.#dataAt, position: this.#position }
    this.#waiting.push(frame)
    this.#position += bytes.length
    const data = bytes.length - getDataStart(header)
    this.#dataAt += data
    this.#waitingData += data
    const muted = this.#mutedFrames.find(this.#sample, header)
    this.#sample += header.samples
    if (muted.includes(true)) this.#mute(frame, header.isCombined ? [true, true] : muted)
  }

  #mute({ bytes, header, dataAt, position }: WaitingFrame, muted: readonly boolean[]): void {
    const { dataBefore, granules } = parseSideInfo(bytes, header)
    const sources = this.#findSources(dataAt - dataBefore, position - maxDistance)
    const start = Math.max(sources[0]?.dataAt ?? dataAt, dataAt - dataBefore)
    const data = this.#gather(sources, start)
    const total = granules.reduce((sum, { dataBits }) => sum + dataBits, 0)
    // A decoder cannot play a frame whose data is not complete, for example after a gap.
    const isComplete = start === dataAt - dataBefore && total <= data.length * 8
    let [from, to] = [0, 0]
    for (const { channel, infoStart, infoBits, dataBits } of granules) {
      if (muted[channel] === true || !isComplete) clearBits(bytes, infoStart, infoStart + infoBits)
      else {
        moveBits(data, from, to, dataBits)
        to += dataBits
      }
      from += dataBits
    }
    clearBits(data, to, Math.min(total, data.length * 8))
    if (header.isMpeg1) this.#clearSharedFactors(bytes, header, muted)
    writeCrc(bytes, header)
    this.#scatter(sources, start, data)
  }

  /** MPEG-1 can use scale factors of the first half of a frame in the second, for each channel. */
  #clearSharedFactors(bytes: Buffer, header: Mp3Header, muted: readonly boolean[]): void {
    const start = getSideInfoStart(header) * 8 + 12
    for (const [channel, isMuted] of muted.entries())
      if (isMuted) clearBits(bytes, start + channel * 4, start + channel * 4 + 4)
  }

  /**
   * Returns the last frames, from the one that contains the first byte of the data on.
   * @param firstData position in the data of all frames
   * @param firstByte position in the file of the first frame that can be returned
   */
  #findSources(firstData: number, firstByte: number): WaitingFrame[] {
    const sources: WaitingFrame[] = []
    for (let at = this.#waiting.length - 1; at >= 0 && (sources[0]?.dataAt ?? Infinity) > firstData; at -= 1) {
      const one = this.#waiting[at]
      if (one === undefined || one.position < firstByte) break
      if ('header' in one) sources.unshift(one)
    }
    return sources
  }

  /** Returns the data of frames from a position on. */
  #gather(frames: readonly WaitingFrame[], start: number): Buffer {
    return Buffer.concat(
      frames.map(({ bytes, header, dataAt }) => bytes.subarray(getDataStart(header) + Math.max(0, start - dataAt))),
    )
  }

  #scatter(frames: readonly WaitingFrame[], start: number, data: Buffer): void {
    for (const { bytes, header, dataAt } of frames) {
      const skip = Math.max(0, start - dataAt)
      const target = bytes.subarray(getDataStart(header) + skip)
      target.set(data.subarray(dataAt + skip - start, dataAt + skip - start + target.length))
    }
  }
}

/**
 * Checks that a file begins with frames.
 * @param head the first bytes of the file, with its first frames
 * @throws UnreadableAudio
 */
export const checkMp3 = (head: Uint8Array): void => {
  const muter = new Mp3Muter([[], []])
  muter.add(head)
  muter.add()
  if (!muter.hasFrames) throw new UnreadableAudio('the file has no MP3 frames with two channels')
}

/** Yields the muted bytes of a file, which have the same positions as its own. */
export async function* muteMp3(
  file: AsyncIterable<Uint8Array>,
  channels: MutedChannels,
): AsyncGenerator<Buffer, void, undefined> {
  const muter = new Mp3Muter(channels)
  for await (const bytes of file) yield* muter.add(bytes)
  yield* muter.add()
}
