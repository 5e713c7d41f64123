import { requestIdHeader } from '@patchbay/contract/api/request-ids'

/** Converts all failures of API requests to one error class. */

export type FailureKind = 'rejected' | 'unparsable' | 'unreachable' | 'timed-out' | 'session-ended'

export const somethingWentWrong = 'Something went wrong, please try again'

/** Says more about an error than its message. */
interface ErrorDetails {
  /** The form field that the server names. */
  field?: string | undefined
  /** Further text of the response, such as the duration of a lockout. */
  detail?: string | undefined
  /** The id of the request in the server's log, if the server is Patchbay. */
  requestId?: string | undefined
  /** The body of the error response. */
  answer?: Readonly<Record<string, unknown>>
}

export class ApiError extends Error {
  declare readonly kind: FailureKind
  /** The HTTP status, or 0 without a response. */
  declare readonly status: number
  declare readonly field: ErrorDetails['field']
  declare readonly detail: ErrorDetails['detail']
  declare readonly requestId: ErrorDetails['requestId']
  declare readonly answer: NonNullable<ErrorDetails['answer']>

  constructor(kind: FailureKind, status: number, message: string, details: ErrorDetails = {}) {
    super(message)
    Object.assign(this, { kind, status, answer: {}, ...details })
  }
}

/** Returns whether a read failed because there is nothing to read, such as no data of a call. */
export const isNotFound = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 404

/** Returns the ID that the server has given a request. Only Patchbay sends it. */
export const getRequestIdHeader = ({ headers }: Response): string | undefined =>
  headers.get(requestIdHeader) ?? undefined

const text = (body: unknown, member: string): string | undefined => {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, member)) return undefined
  const value: unknown = Reflect.get(body, member)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Returns the error for a response. The message is the first of `msg`, `error`, `message`, and `status` in its body
 * (ERRORS-12, ERRORS-13).
 */
export const toApiError = (status: number, body: unknown, requestId?: string): ApiError => {
  const [msg] = ['msg', 'error', 'message', 'status'].flatMap((member) => text(body, member) ?? [])
  return new ApiError('rejected', status, msg ?? `${somethingWentWrong}.`, {
    field: text(body, 'field'),
    detail: text(body, 'error'),
    requestId,
    answer: Object(body),
  })
}

/** Returns the message of an API error, or a general one for other errors. */
export const errorMessage = (error: unknown): string => (error instanceof ApiError ? error.message : somethingWentWrong)

/** Returns the id of the failed request in the server's log, or undefined. */
export const getRequestId = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.requestId : undefined
