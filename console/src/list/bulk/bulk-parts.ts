/** Exports what lists load when rows are selected as one module, because each import costs every list about 40 bytes. */

export { BulkBar } from './bulk-bar.tsx'
export { BulkProgress } from './bulk-progress.tsx'
