import { z } from 'zod'
import type { SignedBody } from './endpoint.ts'

/**
 * The body of an endpoint that verifies a signature of the raw text. In a module of its own, because the console contains
 * the other value types, but not the code for objects.
 */
export const signedBody: z.ZodType<SignedBody> = z.object({ payload: z.string(), signature: z.string() })
