import { lazyPart } from '../../lazy/lazy-part.tsx'

/** The SIP ladder is larger than the rest of the call details, so it loads on demand. */
export const LazySip = lazyPart('sip', async () => (await import('./sip.tsx')).CallSip)
