import { lazyComponentQuery } from '../../lazy/lazy-component-query.ts'
import { lazyPart } from '../../lazy/lazy-part.tsx'

/** The explanations of SIP statuses are in a chunk of their own, which the loader requests together with the data. */

const part = ['overview-failures', async () => (await import('./failures-table.tsx')).FailuresTable] as const

export const FailuresTable = lazyPart(...part)

export const failuresTableQuery = lazyComponentQuery(...part)
