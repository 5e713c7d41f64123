import { lazyPart } from '../../lazy/lazy-part.tsx'

/** The SIP ladder diagram of a registration. It is larger than the rest of the screen, so it loads on demand. */
export const LazyRegistration = lazyPart(
  'registration-sip',
  async () => (await import('./registration-sip.tsx')).RegistrationSip,
)
