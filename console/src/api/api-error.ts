/** The one normaliser of what can go wrong with a call. */

export type FailureKind = 'refused' | 'unparsable' | 'unreachable' | 'timed-out' | 'session-ended'

export const somethingWentWrong = 'Something went wrong, please try again'

export class ApiError extends Error {
  readonly kind: FailureKind
  /** the HTTP status, 0 where there was no answer */
  readonly status: number
  /** the form field that the server names */
  readonly field: string | undefined
  /** further text of the server beside msg, such as how long a lock-out lasts */
  readonly detail: string | undefined
  /** by which the server's log names the request; where a server of ours answered */
  readonly requestId: string | undefined
  /** The body of the error response. */
  readonly answer: Readonly<Record<string, unknown>>

  constructor(
    kind: FailureKind,
    status: number,
    message: string,
    {
      field,
      detail,
      requestId,
      answer = {},
    }: { field?: string; detail?: string; requestId?: string; answer?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message)
    this.kind = kind
    this.status = status
    this.field = field
    this.detail = detail
    this.requestId = requestId
    this.answer = answer
  }
}

const text = (body: unknown, member: string): string | undefined => {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, member)) return undefined
  const value: unknown = Reflect.get(body, member)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** msg, error, message or status of an error body, whichever the server gives (ERRORS-12, ERRORS-13). */
export const refusedBy = (status: number, body: unknown, requestId?: string): ApiError => {
  const msg = text(body, 'msg') ?? text(body, 'error') ?? text(body, 'message') ?? text(body, 'status')
  return new ApiError('refused', status, msg ?? `${somethingWentWrong}.`, {
    field: text(body, 'field'),
    detail: text(body, 'error'),
    requestId,
    answer: { ...Object(body) },
  })
}

export const errorMessage = (error: unknown): string => (error instanceof ApiError ? error.message : somethingWentWrong)

/** The id under which the server's log has the request that failed. */
export const getRequestId = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.requestId : undefined
