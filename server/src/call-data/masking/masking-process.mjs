// Helper process of masking-helper.ts. Masks the items of a job.
import { serveRequests } from '../../lib/serve-requests.ts'
import { maskItems } from './mask-items.ts'

serveRequests(
  /** @param {import('./mask-items.ts').MaskingJob} job */
  async (job) => {
    const budget = { remainingMs: job.budgetMs }
    const items = []
    for await (const item of maskItems(job, budget)) items.push(item)
    return { items, usedMs: job.budgetMs - budget.remainingMs, isExceeded: budget.isExceeded === true }
  },
)
