import { lazyDialog } from '../../lazy/lazy-dialog.tsx'

/** The dialog has the modules of forms, which lists do not load. */
export const EditSelected = lazyDialog('edit-selected', async () => (await import('./edit-selected.tsx')).EditSelected)
