import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

export const DeleteApplication = lazyDialog(
  'delete-application',
  async () => (await import('./delete-application.tsx')).DeleteApplication,
)
