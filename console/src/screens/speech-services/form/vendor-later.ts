import { laterPart } from '../../../page/later-part.tsx'

export const VendorFields = laterPart('vendor-fields', async () => (await import('./vendor-fields.tsx')).VendorFields)
