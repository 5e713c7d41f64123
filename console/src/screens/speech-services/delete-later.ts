import { laterDialog } from '../../page/later-dialog.tsx'

export const DeleteService = laterDialog(
  'delete-speech-service',
  async () => (await import('./delete-service.tsx')).DeleteService,
)
