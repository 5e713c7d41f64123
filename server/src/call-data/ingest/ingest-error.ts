/** Ends a request of the intake with this status and text. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}
