import { laterDialog } from '../../page/later-dialog.tsx'

export const DeleteAccount = laterDialog(
  'delete-account',
  async () => (await import('./delete-account.tsx')).DeleteAccount,
)
