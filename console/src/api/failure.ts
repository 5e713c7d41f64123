/** The one normaliser of what can go wrong with a call. */

export type FailureKind = 'refused' | 'unparsable' | 'unreachable' | 'timed-out' | 'session-ended'

export const somethingWentWrong = 'Something went wrong, please try again'

export class Failure extends Error {
  readonly kind: FailureKind
  /** the HTTP status, 0 where there was no answer */
  readonly status: number
  /** the form field that the server names */
  readonly field: string | undefined
  /** further text of the server beside msg, such as how long a lock-out lasts */
  readonly detail: string | undefined

  constructor(kind: FailureKind, status: number, message: string, more: { field?: string; detail?: string } = {}) {
    super(message)
    this.kind = kind
    this.status = status
    this.field = more.field
    this.detail = more.detail
  }
}

const text = (body: unknown, member: string): string | undefined => {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, member)) return undefined
  const value: unknown = Reflect.get(body, member)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** msg, error, message or status of an error body, whichever the server gives (spec 0 §8, 1 §8). */
export const refusedBy = (status: number, body: unknown): Failure => {
  const msg = text(body, 'msg') ?? text(body, 'error') ?? text(body, 'message') ?? text(body, 'status')
  const field = text(body, 'field')
  const detail = text(body, 'error')
  return new Failure('refused', status, msg ?? `${somethingWentWrong}.`, {
    ...(field ? { field } : {}),
    ...(detail ? { detail } : {}),
  })
}

export const failureText = (error: unknown): string => (error instanceof Failure ? error.message : somethingWentWrong)
