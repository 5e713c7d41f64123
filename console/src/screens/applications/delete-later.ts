import { lazyDialog } from '../../page/later-dialog.tsx'

export const DeleteApplication = lazyDialog(
  'delete-application',
  async () => (await import('./delete-application.tsx')).DeleteApplication,
)
