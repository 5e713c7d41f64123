import { type ComponentProps, createElement } from 'react'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { LazySip } from './sip.lazy.ts'

const Parts = lazyPart('call', async () => (await import('./call-tabs.tsx')).CallParts)

/**
 * All there is to know of a call: more than a list of them, so it comes when the first is opened. Its ladder is named
 * here and not there, so that neither script brings the other.
 */
export const LazyCall = (props: Omit<ComponentProps<typeof Parts>, 'Sip'>) =>
  createElement(Parts, { ...props, Sip: LazySip })
