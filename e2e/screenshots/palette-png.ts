import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Reduces screenshots to 256 colors, which takes a third of the space and shows no difference in a user interface. */

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const maxColors = 256

/** Number of the most frequent colors that are kept in any case. */
const exactColors = 32

/** Squared distance of two colors in RGB below which they look the same: 4 of 255 per channel. */
const visibleDistance = 48

interface Image {
  width: number
  height: number
  /** Three bytes per pixel. */
  rgb: Buffer
}

interface Chunk {
  type: string
  data: Buffer
}

function* readChunks(png: Buffer): Generator<Chunk> {
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at)
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) }
  }
}

const writeChunk = (type: string, data: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

/** PNG specification (third edition) §9.4, Paeth predictor. */
const paeth = (left: number, above: number, aboveLeft: number): number => {
  const estimate = left + above - aboveLeft
  const toLeft = Math.abs(estimate - left)
  const toAbove = Math.abs(estimate - above)
  const toAboveLeft = Math.abs(estimate - aboveLeft)
  if (toLeft <= toAbove && toLeft <= toAboveLeft) return left
  return toAbove <= toAboveLeft ? above : aboveLeft
}

const predict = (filter: number, left: number, above: number, aboveLeft: number): number => {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  return filter === 4 ? paeth(left, above, aboveLeft) : 0
}

/** Decodes a PNG as Chromium writes it: 8 bits per channel, with or without an alpha channel, not interlaced. */
const decode = (png: Buffer): Image => {
  const chunks = [...readChunks(png)]
  const header = chunks[0]?.data ?? Buffer.alloc(13)
  const [width, height, channels] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3]
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data)))
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  const rgb = Buffer.alloc(width * height * 3)
  const byte = (row: number, column: number): number =>
    row < 0 || column < 0 ? 0 : (pixels[row * stride + column] ?? 0)
  for (let row = 0; row < height; row += 1) {
    const start = row * (stride + 1)
    const filter = data[start] ?? 0
    for (let column = 0; column < stride; column += 1) {
      const before = column - channels
      const predicted = predict(filter, byte(row, before), byte(row - 1, column), byte(row - 1, before))
      pixels[row * stride + column] = (data[start + 1 + column] ?? 0) + predicted
    }
  }
  for (let pixel = 0; pixel < width * height; pixel += 1)
    pixels.copy(rgb, pixel * 3, pixel * channels, pixel * channels + 3)
  return { width, height, rgb }
}

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)

/** Returns the colors of an image, most frequent first. */
const sortColors = (rgb: Buffer): number[] => {
  const counts = new Map<number, number>()
  for (let at = 0; at < rgb.length; at += 3) {
    const color = rgb.readUIntBE(at, 3)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  return [...counts].sort(([a, countA], [b, countB]) => countB - countA || a - b).map(([color]) => color)
}

/** Selects the colors of large areas, and then others that differ visibly from the selected ones. */
const selectColors = (sorted: readonly number[]): number[] => {
  const palette = sorted.slice(0, exactColors)
  for (const color of sorted.slice(exactColors))
    if (palette.length < maxColors && palette.every((other) => distance(color, other) >= visibleDistance))
      palette.push(color)
  return palette
}

/** Returns a PNG with at most 256 colors of the given one. Other colors become the nearest of these. */
export const toPalettePng = (png: Buffer): Buffer => {
  const { width, height, rgb } = decode(png)
  const sorted = sortColors(rgb)
  const palette = selectColors(sorted)
  const indexes = new Map(palette.map((color, index) => [color, index]))
  for (const color of sorted) {
    if (indexes.has(color)) continue
    const nearest = palette.reduce((best, other) => (distance(color, other) < distance(color, best) ? other : best))
    indexes.set(color, indexes.get(nearest) ?? 0)
  }
  // Each row begins with filter type 0, because filters do not help with palettes (§12.7).
  const rows = Buffer.alloc((width + 1) * height)
  for (let pixel = 0; pixel < width * height; pixel += 1)
    rows[Math.floor(pixel / width) * (width + 1) + 1 + (pixel % width)] = indexes.get(rgb.readUIntBE(pixel * 3, 3)) ?? 0
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  const colors = Buffer.alloc(palette.length * 3)
  for (const [index, color] of palette.entries()) colors.writeUIntBE(color, index * 3, 3)
  return Buffer.concat([
    signature,
    writeChunk('IHDR', header),
    writeChunk('PLTE', colors),
    writeChunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ])
}
