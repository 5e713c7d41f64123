import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

/** The list and the edit screen share this chunk, which loads when the dialog opens. */
export const DeleteAccount = lazyDialog(
  'delete-account',
  async () => (await import('./delete-account.tsx')).DeleteAccount,
)
