import { lazyDialog } from '../../page/later-dialog.tsx'

export const DeleteService = lazyDialog(
  'delete-speech-service',
  async () => (await import('./delete-service.tsx')).DeleteService,
)
