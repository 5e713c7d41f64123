import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

/** The list and the edit screen share this chunk, which loads when the dialog opens. */
export const DeleteApplication = lazyDialog(
  'delete-application',
  async () => (await import('./delete-application.tsx')).DeleteApplication,
)
