/** Decodes the bytes of a text file from a spreadsheet. */

export interface DecodedFile {
  text: string
  /** Says how the file was read, if that may be wrong. */
  note?: string
  /** The reason why the file is no text. */
  why?: string
}

const startsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte)

/** Number of bytes that show whether a file without a byte order mark is UTF-16. */
const sampleBytes = 200
/** Share of zero bytes in UTF-16: separators, digits, and Latin letters have one each. */
const minZeroShare = 0.1

/** Returns the encoding of a file that contains the zero bytes of UTF-16, even without its mark. */
const detectUtf16 = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le'
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be'
  const zeros = [0, 0]
  for (const [at, byte] of bytes.subarray(0, sampleBytes).entries())
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  // A single zero byte is a fault in a text of another encoding.
  if (Math.max(even, odd) < Math.min(bytes.length, sampleBytes) * minZeroShare) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

/** Decodes a text and drops zero characters. Throws if the bytes are not in UTF-8. */
const decode = (encoding: string, bytes: Uint8Array): string =>
  new TextDecoder(encoding, { fatal: encoding === 'utf-8' }).decode(bytes).replaceAll('\0', '')

/**
 * Decodes UTF-8 and UTF-16 of both byte orders. A file in neither is read as Windows-1252, the encoding of spreadsheets
 * for Western languages, with a note.
 */
export const decodeFile = (bytes: Uint8Array): DecodedFile => {
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04) || startsWith(bytes, 0xd0, 0xcf, 0x11, 0xe0))
    return { text: '', why: 'This is a workbook of a spreadsheet. Save it as “CSV UTF-8”, and choose that file.' }
  const utf16 = detectUtf16(bytes)
  if (utf16 !== undefined) return { text: decode(utf16, bytes) }
  try {
    return { text: decode('utf-8', bytes) }
  } catch {
    return {
      text: decode('windows-1252', bytes),
      note: 'The file is not in UTF-8 and was read as Windows-1252. Check the names with accents.',
    }
  }
}
