import { lazyPart } from '../../../lazy/lazy-part.tsx'

export const VendorFields = lazyPart('vendor-fields', async () => (await import('./vendor-fields.tsx')).VendorFields)
