import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

/** The list and the edit screen share this chunk, which loads when the dialog opens. */
export const DeleteService = lazyDialog(
  'delete-speech-service',
  async () => (await import('./delete-service.tsx')).DeleteService,
)
