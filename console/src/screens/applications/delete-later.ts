import { laterDialog } from '../../page/later-dialog.tsx'

export const DeleteApplication = laterDialog(
  'delete-application',
  async () => (await import('./delete-application.tsx')).DeleteApplication,
)
