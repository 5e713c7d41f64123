import { lazyPart } from '../../../lazy/lazy-part.tsx'

/** Its script comes with the first call that was recorded. */
export const LazyPlayer = lazyPart('recording', async () => (await import('./recording.tsx')).Recording)
