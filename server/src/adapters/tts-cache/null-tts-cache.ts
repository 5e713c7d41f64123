import type { TtsCache } from './tts-cache.ts'

/** Used without Redis: no prompts are cached. */
export const noTtsCache: TtsCache = {
  size: () => Promise.resolve(0),
  clear: () => Promise.resolve(0),
}
