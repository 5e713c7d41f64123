/**
 * The frames of MP3 streams with two channels (ISO/IEC 11172-3 §2.4 for MPEG-1, ISO/IEC 13818-3 §2.4 for MPEG-2, and
 * MPEG-2.5, which halves its sample rates). Pure.
 */

const bitRates = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const mpeg1SampleRates = [44_100, 48_000, 32_000] as const

export const headerBytes = 4
const crcBytes = 2
const layerThree = 1
const jointStereo = 1
const oneChannel = 3

export interface Mp3Header {
  isMpeg1: boolean
  sampleRate: number
  /** Samples of each channel. */
  samples: number
  /** Bytes of the frame, with its header. */
  size: number
  hasCrc: boolean
  /** Whether the frame codes sums and differences of the channels, so that neither can be removed alone. */
  isCombined: boolean
}

/** Returns the header at a position, or undefined if no frame with two channels and a known size begins there. */
export const parseMp3Header = (bytes: Buffer, at: number): Mp3Header | undefined => {
  if (at + headerBytes > bytes.length) return undefined
  const word = bytes.readUInt32BE(at)
  const version = (word >>> 19) & 3
  const bitRateIndex = (word >>> 12) & 15
  const rate = mpeg1SampleRates[(word >>> 10) & 3]
  const mode = (word >>> 6) & 3
  const isFrame = word >>> 21 === 0x7_ff && version !== 1 && ((word >>> 17) & 3) === layerThree
  if (!isFrame || rate === undefined || mode === oneChannel) return undefined
  const isMpeg1 = version === 3
  const bitRate = bitRates[isMpeg1 ? 'mpeg1' : 'mpeg2'][bitRateIndex] ?? 0
  if (bitRate === 0) return undefined
  const sampleRate = rate / (isMpeg1 ? 1 : version === 2 ? 2 : 4)
  const samples = isMpeg1 ? 1152 : 576
  const size = Math.floor((samples * bitRate * 125) / sampleRate) + ((word >>> 9) & 1)
  const hasCrc = ((word >>> 16) & 1) === 0
  const header = { isMpeg1, sampleRate, samples, size, hasCrc }
  return { ...header, isCombined: mode === jointStereo && ((word >>> 4) & 3) !== 0 }
}

/** Returns the position of the side information, which says what the audio data of a frame contains. */
export const getSideInfoStart = ({ hasCrc }: Mp3Header): number => headerBytes + (hasCrc ? crcBytes : 0)

/** Returns the position of the audio data. Data of later frames can begin in it. */
export const getDataStart = (header: Mp3Header): number => getSideInfoStart(header) + (header.isMpeg1 ? 32 : 17)

/** Reads an unsigned number of at most 16 bits. */
export const readBits = (bytes: Buffer, bit: number, count: number): number => {
  const at = bit >> 3
  const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
  return (word >>> (24 - (bit & 7) - count)) & ((1 << count) - 1)
}

/** Sets bits to zero. */
export const clearBits = (bytes: Buffer, from: number, until: number): void => {
  let bit = from
  while (bit < until)
    if ((bit & 7) === 0 && until - bit >= 8) {
      bytes.fill(0, bit >> 3, until >> 3)
      bit = (until >> 3) << 3
    } else {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) & ~(0x80 >> (bit & 7))
      bit += 1
    }
}

/** Writes bits within a byte. */
const writeBits = (bytes: Buffer, bit: number, count: number, value: number): void => {
  const shift = 8 - (bit & 7) - count
  const mask = ((1 << count) - 1) << shift
  bytes[bit >> 3] = ((bytes[bit >> 3] ?? 0) & ~mask) | (value << shift)
}

/** Moves bits toward the beginning. */
export const moveBits = (bytes: Buffer, from: number, to: number, count: number): void => {
  if (from === to) return
  for (let moved = 0; moved < count; ) {
    const part = Math.min(8 - ((to + moved) & 7), count - moved)
    writeBits(bytes, to + moved, part, readBits(bytes, from + moved, part))
    moved += part
  }
}

/** A part of the audio of a frame: a half, or a whole frame for MPEG-2, of one channel. */
interface Granule {
  channel: number
  /** Position of its side information in bits. */
  infoStart: number
  infoBits: number
  /** Bits of its audio data. */
  dataBits: number
}

export interface SideInfo {
  /** The data begins this many bytes before that of the frame, in earlier frames. */
  dataBefore: number
  granules: Granule[]
}

/** Parses the side information of a frame. */
export const parseSideInfo = (frame: Buffer, header: Mp3Header): SideInfo => {
  const start = getSideInfoStart(header) * 8
  const { isMpeg1 } = header
  const [infoBits, first, count] = isMpeg1 ? [59, start + 20, 4] : [63, start + 10, 2]
  return {
    dataBefore: readBits(frame, start, isMpeg1 ? 9 : 8),
    granules: Array.from({ length: count }, (_, position): Granule => {
      const infoStart = first + position * infoBits
      return { channel: position % 2, infoStart, infoBits, dataBits: readBits(frame, infoStart, 12) }
    }),
  }
}

/** Writes the checksum of a frame that has one: CRC-16 of the second half of the header and the side information. */
export const writeCrc = (frame: Buffer, header: Mp3Header): void => {
  if (!header.hasCrc) return
  let crc = 0xff_ff
  const add = (byte: number): void => {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ ((crc & 0x80_00) === 0 ? 0 : 0x80_05)) & 0xff_ff
  }
  for (const byte of frame.subarray(2, headerBytes)) add(byte)
  for (const byte of frame.subarray(getSideInfoStart(header), getDataStart(header))) add(byte)
  frame.writeUInt16BE(crc, headerBytes)
}
