import { laterDialog } from '../../page/later-dialog.tsx'

export const DeleteCarrier = laterDialog(
  'delete-carrier',
  async () => (await import('./delete-carrier.tsx')).DeleteCarrier,
)
