import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

/** The list and the edit screen share this chunk, which loads when the dialog opens. */
export const DeleteCarrier = lazyDialog(
  'delete-carrier',
  async () => (await import('./delete-carrier.tsx')).DeleteCarrier,
)
