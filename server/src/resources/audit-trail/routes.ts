import type { auditTrailEndpoints } from '@patchbay/contract/audit-trail'
import { maxSearchesPerTenant } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { createFairQueue, fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { searchAuditTrail } from './store.ts'

export const auditTrailRoutes = ({ database }: Services): Handlers<keyof typeof auditTrailEndpoints> => {
  const searches = createFairQueue({
    name: 'audit_searches',
    concurrency: database.concurrency.searches,
    max: maxSearchesPerTenant,
  })
  return {
    'GET /patchbay/audit-trail': async ({ actor, query, signal }) => {
      const search = () => searchAuditTrail(database, actor, query)
      const result = await searches.run(fairnessKey(actor), (runStep) => runStep(search), signal)
      const { total, entries, referencedRecords } = result
      return ok({
        total,
        page: query.page,
        page_size: query.count,
        data: entries,
        referenced_records: referencedRecords,
      })
    },
  }
}
