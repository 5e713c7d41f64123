import { z } from 'zod'

/**
 * Records of one kind that use another record: the total, and the first ten by name. API keys are sorted by age and
 * their tokens masked.
 */
export const uses = z.object({
  total: z.number(),
  first: z.array(z.object({ sid: z.string(), name: z.string() })),
})
export type Uses = z.infer<typeof uses>
