import { lazyDialog } from '../../page/later-dialog.tsx'

export const HangUp = lazyDialog('hang-up', async () => (await import('./acts/hang-up.tsx')).HangUp)

export const Transfer = lazyDialog('transfer', async () => (await import('./acts/transfer.tsx')).Transfer)
