import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

export const DeleteAccount = lazyDialog(
  'delete-account',
  async () => (await import('./delete-account.tsx')).DeleteAccount,
)
