/** Ends an ingest request with this HTTP status and message. */
export class IngestError extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
