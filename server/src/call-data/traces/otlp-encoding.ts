export interface Outcome {
  rejected: number
  message: string
}

/** Returns the response message. If no spans were rejected, the message is a warning (OTLP 1.x, "Partial Success"). */
export const partialSuccess = ({ rejected, message }: Outcome) =>
  rejected === 0 && message === '' ? {} : { partialSuccess: { rejectedSpans: rejected, errorMessage: message } }

/** Encoding of a request and its responses: `application/x-protobuf` or `application/json`. */
export interface Encoding {
  type: string
  /**
   * Returns the `resourceSpans` of a request.
   *
   * @throws OtlpLimitError if the body exceeds a structural limit
   * @throws Error if the body is not an ExportTraceServiceRequest
   */
  read(body: Buffer): unknown
  success(outcome: Outcome): Buffer
  /** Encodes a google.rpc.Status. */
  failure(message: string): Buffer
}
