import { laterPart } from '../../page/later-part.tsx'

/** All there is to know of a call: more than a list of them, so it comes when the first is opened. */
export const LaterCall = laterPart('call', async () => (await import('./call-parts.tsx')).CallParts)
