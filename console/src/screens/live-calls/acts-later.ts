import { laterDialog } from '../../page/later-dialog.tsx'

export const HangUp = laterDialog('hang-up', async () => (await import('./acts/hang-up.tsx')).HangUp)

export const Transfer = laterDialog('transfer', async () => (await import('./acts/transfer.tsx')).Transfer)
