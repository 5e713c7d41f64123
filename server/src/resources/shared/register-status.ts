import { z } from 'zod'

/** An ISO 8601 text, or epoch milliseconds. */
const time = z
  .union([z.string(), z.number()])
  .transform((value) => new Date(value).getTime())
  .refine((epochMs) => !Number.isNaN(epochMs))

/** The JSON text that the platform's registration process stores. After a network error, the reason can be `{}`. */
const registerStatus = z.object({
  status: z.string().nullable().catch(null),
  reason: z.string().nullable().catch(null),
  /** Epoch milliseconds. */
  timestamp: time.nullable().catch(null),
  /** Seconds. */
  expires: z.coerce.number().positive().max(1e9).nullable().catch(null),
})

/**
 * Parses the `register_status` of a carrier (docs/reference/platform-api/runtime-routing.md). Members that are missing or
 * invalid are null.
 */
export const parseRegisterStatus = (stored: string | null): z.output<typeof registerStatus> => {
  try {
    return registerStatus.parse(JSON.parse(stored ?? '{}'))
  } catch {
    return { status: null, reason: null, timestamp: null, expires: null }
  }
}
