import { lazyPart } from '../../../lazy/lazy-part.tsx'

/** The fields of all vendors: a chunk that the add and the edit screen share. It loads when a vendor is selected. */
export const VendorFields = lazyPart('vendor-fields', async () => (await import('./vendor-fields.tsx')).VendorFields)
