import type { RejectionReason } from '../../lib/telemetry.ts'

interface IngestErrorOptions extends ErrorOptions {
  /** Label in metrics, if it does not follow from the status. */
  reason?: RejectionReason
}

/** Ends an ingest request with this HTTP status and message. */
export class IngestError extends Error {
  readonly status: number
  readonly reason: RejectionReason | undefined

  constructor(status: number, message: string, { reason, ...options }: IngestErrorOptions = {}) {
    super(message, options)
    this.status = status
    this.reason = reason
  }
}
