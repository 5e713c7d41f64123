import { laterPart } from '../../page/later-part.tsx'

/** All there is to know of an alert: it comes when the first is opened. */
export const LaterAlert = laterPart('alert', async () => (await import('./alert-details.tsx')).AlertDetails)
