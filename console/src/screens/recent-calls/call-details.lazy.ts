import { type ComponentProps, createElement } from 'react'
import { lazyContent } from '../../lazy/lazy-content.tsx'

/** The SIP ladder is larger than the rest of the call details, so it loads on demand. */
const LazySip = lazyContent('sip', async () => (await import('./call-sip.tsx')).CallSip)

const Parts = lazyContent('call', async () => (await import('./call-tabs.tsx')).CallParts)

/**
 * Loads the call details when the user opens the first call, because they are larger than the list. `LazySip` is passed
 * in from here so that the two chunks do not import each other.
 */
export const LazyCall = (props: Omit<ComponentProps<typeof Parts>, 'Sip'>) =>
  createElement(Parts, { ...props, Sip: LazySip })
