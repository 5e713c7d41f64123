import { lazyDialog } from '../../page/later-dialog.tsx'

export const DeleteAccount = lazyDialog(
  'delete-account',
  async () => (await import('./delete-account.tsx')).DeleteAccount,
)
