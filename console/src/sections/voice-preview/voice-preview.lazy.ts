import { lazyPart } from '../../lazy/lazy-part.tsx'

/** Loads on first use, because few users play previews. */
export const HearIt = lazyPart('hear-it', async () => (await import('./voice-preview.tsx')).VoicePreview)
