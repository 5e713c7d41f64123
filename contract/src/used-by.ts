import { z } from 'zod'

/** Of one kind how many there are, and the first ten by name; of API keys by age, their tokens masked. */
export const uses = z.object({
  total: z.number(),
  first: z.array(z.object({ sid: z.string(), name: z.string() })),
})
export type Uses = z.infer<typeof uses>
