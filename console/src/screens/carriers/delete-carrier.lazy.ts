import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

export const DeleteCarrier = lazyDialog(
  'delete-carrier',
  async () => (await import('./delete-carrier.tsx')).DeleteCarrier,
)
