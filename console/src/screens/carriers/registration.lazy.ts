import { lazyPart } from '../../lazy/lazy-part.tsx'

/** The ladder of a registration: more than the rest of its carrier, so it comes when it is asked for. */
export const LazyRegistration = lazyPart(
  'registration-sip',
  async () => (await import('./registration-sip.tsx')).RegistrationSip,
)
