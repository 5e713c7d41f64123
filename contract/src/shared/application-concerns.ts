import { z } from 'zod'

/** Stored reasons for which the calls of an application can fail. Server and console share the names. */

const speech = {
  use: z.enum(['tts', 'stt']),
  vendor: z.string(),
  label: z.string().nullable(),
}

export const applicationConcern = z.discriminatedUnion('is', [
  /** The application has no calling webhook and no verbs. */
  z.object({ is: z.literal('no_instructions') }),
  /** The account has no speech service of the vendor with this label for this use. */
  z.object({ is: z.literal('speech_missing'), ...speech }),
  /** The last test of the speech service failed. */
  z.object({ is: z.literal('speech_failed'), ...speech }),
  /** The webhook failed at the last inbound call of the application. */
  z.object({ is: z.literal('webhook_failed'), alert_type: z.string(), at: z.string() }),
  /** Another alert about the last inbound call of the application names a cause for which calls cannot be answered. */
  z.object({ is: z.literal('call_failed'), alert_type: z.string(), at: z.string() }),
  /** No stored inbound call shows whether the webhook responds. */
  z.object({ is: z.literal('webhook_unproven') }),
])
export type ApplicationConcern = z.infer<typeof applicationConcern>
