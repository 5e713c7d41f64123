import { laterPart } from '../../../page/later-part.tsx'

/** Its script comes with the first call that was recorded. */
export const LaterPlayer = laterPart('recording', async () => (await import('./recording.tsx')).Recording)
