import { lazyPart } from '../../lazy/lazy-part.tsx'

/** The ladder of a call: more than the rest of the call, so it comes when it is asked for. */
export const LazySip = lazyPart('sip', async () => (await import('./sip.tsx')).CallSip)
