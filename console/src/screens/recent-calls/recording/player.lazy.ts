import { lazyPart } from '../../../lazy/lazy-part.tsx'

/** The player loads with the first call that has a recording. */
export const LazyPlayer = lazyPart('recording', async () => (await import('./recording.tsx')).Recording)
