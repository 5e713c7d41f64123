import { lazyPart } from '../../lazy/lazy-part.tsx'

/** It comes when it first shows: few listen. */
export const HearIt = lazyPart('hear-it', async () => (await import('./voice-preview.tsx')).VoicePreview)
