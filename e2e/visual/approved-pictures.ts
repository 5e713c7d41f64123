import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import pixelmatch from 'pixelmatch'
import sharp from 'sharp'

/** Approved pictures have few colors, so that all of them take some megabytes. */

/** Tolerance for a pixel, from 0 to 1. An update of Chromium smooths edges in another way. */
const threshold = 0.1

interface Pixels {
  data: Buffer
  width: number
  height: number
}

const toPixels = async (image: Buffer): Promise<Pixels> => {
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

export interface Difference {
  /** The number of pixels that differ. Infinity if the size does. */
  pixels: number
  /** PNG: the differing pixels in red. */
  picture: Buffer
}

/** Returns how a screenshot differs from an approved picture, or undefined. */
const compareImages = async (screenshot: Buffer, approved: Buffer): Promise<Difference | undefined> => {
  const [now, before] = await Promise.all([toPixels(screenshot), toPixels(approved)])
  const { width, height } = now
  if (width !== before.width || height !== before.height) return { pixels: Infinity, picture: screenshot }
  const marks = Buffer.alloc(now.data.length)
  const pixels = pixelmatch(before.data, now.data, marks, width, height, { threshold })
  if (pixels === 0) return undefined
  const image = sharp(marks, { raw: { width, height, channels: 4 } })
  return { pixels, picture: await image.png().toBuffer() }
}

/** Returns how a screenshot differs from the picture in a file, or undefined. */
export const compareWithFile = (screenshot: Buffer, file: string): Promise<Difference | undefined> =>
  compareImages(screenshot, readFileSync(file))

/** With fewer colors, a small colored element may take the color of another. */
const paletteSizes = [16, 32, 64, 256]

/** Writes a screenshot as the approved picture, with as few colors as keep it the same. */
export const approve = async (screenshot: Buffer, file: string): Promise<void> => {
  let picture = await sharp(screenshot).webp({ lossless: true }).toBuffer()
  for (const colours of paletteSizes) {
    const reduced = await sharp(screenshot).png({ palette: true, colours, dither: 0 }).toBuffer()
    const candidate = await sharp(reduced).webp({ lossless: true, effort: 4 }).toBuffer()
    if ((await compareImages(screenshot, candidate)) !== undefined) continue
    picture = candidate
    break
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, picture)
}
