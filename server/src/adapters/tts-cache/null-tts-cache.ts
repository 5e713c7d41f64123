import type { TtsCache } from './tts-cache.ts'

/** Without the platform's Redis nothing is kept. */
export const noTtsCache: TtsCache = {
  size: () => Promise.resolve(0),
  clear: () => Promise.resolve(0),
}
