import { lazyPart } from '../later-part.tsx'

/** It comes when it first shows: few listen. */
export const HearIt = lazyPart('hear-it', async () => (await import('./hear-it.tsx')).VoicePreview)
