import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

export const HangUp = lazyDialog('hang-up', async () => (await import('./actions/hang-up.tsx')).HangUp)

export const Transfer = lazyDialog('transfer', async () => (await import('./actions/transfer.tsx')).Transfer)
