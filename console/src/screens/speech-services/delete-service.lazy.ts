import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

export const DeleteService = lazyDialog(
  'delete-speech-service',
  async () => (await import('./delete-service.tsx')).DeleteService,
)
