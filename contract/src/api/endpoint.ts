import type { z } from 'zod'
import type { RecordKind } from '../shared/record-kinds.ts'
import type { DependentTable } from '../shared/record-table.ts'
import type { Scope } from './access.ts'
import type { ApiErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Identifies an endpoint by its method and its path below the API's base path: `GET /Accounts/:account_sid`. */
export type EndpointKey = `${Method} /${string}`

/**
 * Determines the owner of the record that an endpoint reads or changes:
 * - `none`: no owner, the same for all callers (the password policy)
 * - `self`: the caller
 * - `narrowed`: a list that the store limits to what the caller is allowed to see
 * - `body`: the body names the owner, and the handler checks it like a read
 * - `{ of }`: the record that the path parameter `<kind>_sid` names, which is looked up and checked before the handler
 *   runs
 */
export type OwnerRule =
  | 'none'
  | 'self'
  | 'narrowed'
  | 'body'
  | {
      of: RecordKind
      /** Account users can read their service provider and the records that it shares with all of its accounts. */
      members?: 'read'
      /** Admins get the response for an unknown record, an empty list, as in the platform's API. */
      allowUnknown?: true
    }

export interface Access {
  /** The lowest scope with access. `public` requires no token. */
  minScope: 'public' | Scope
  owner: OwnerRule
  /** Rejects API keys: only signed-in users have access. */
  usersOnly?: true
  /**
   * Error for callers below `minScope` or without rights on the owner. A record if the platform's API uses a different
   * error for each scope.
   */
  errorCode?: ApiErrorCode | Readonly<Record<Exclude<Scope, 'admin'>, ApiErrorCode>>
  /**
   * Error for records that the caller cannot know of, unknown ones and those of other tenants. `errorCode` still
   * applies if the path names another tenant.
   */
  hiddenAs?: ApiErrorCode
  /** Allows users who must change their password first. */
  whilePasswordMustChange?: true
  /** Allows view-only users, although the method is not GET. */
  allowViewOnly?: true
  /** Allows callers who have only the password reset link from a mail. */
  allowResetLink?: true
  /**
   * For public endpoints: the handler receives the caller if the request has a valid token, and decides what the caller
   * is allowed to do.
   */
  optionalAuth?: true
  /** For public endpoints: the handler receives the bearer token of the request, which is that of a link. */
  linkToken?: true
  /** Allows suspended accounts to use this endpoint with a method other than GET. */
  allowSuspended?: true
}

/** Access to what belongs to the account that the path names. */
export const accountAccess = {
  minScope: 'account',
  owner: { of: 'account' },
  errorCode: 'insufficient_privileges',
} as const satisfies Access

/** Access to what belongs to the service provider that the path names. */
export const providerAccess = {
  minScope: 'service_provider',
  owner: { of: 'service_provider' },
  errorCode: 'insufficient_privileges',
} as const satisfies Access

/**
 * The record that an endpoint updates. The endpoint accepts all members of the record if read-only ones are unchanged.
 */
export interface UpdatedRecord {
  /** The endpoint that returns the record. Members that only its response has are read-only. */
  record: EndpointKey
  /**
   * Read-only members of which any value is ignored, because they change on their own or because the platform's API
   * ignores them.
   */
  ignored?: readonly string[]
  /** Passes writable members with their current value to the handler, which treats absent members differently. */
  keepUnchanged?: true
  /** Names where the record is stored, unless the last parameter of the path is the key of a declared table. */
  stored?: StoredRecord
}

/**
 * The rows of a record, which its version covers. `key` is the column with the last parameter of the path. Without it,
 * the table has a single row.
 */
export type StoredRecord = Pick<DependentTable, 'table' | 'key' | 'parts' | 'live'> & Partial<DependentTable>

export interface Endpoint {
  /** Single line for the API documentation. */
  summary: string
  access: Access
  query?: z.ZodType
  body?: z.ZodType
  updates?: UpdatedRecord
  /** Response bodies by status. Null means a response without a body. */
  responses: Readonly<Record<number, z.ZodType | null>>
  /** A path parameter that is not a UUID gives the same response as an unknown SID, instead of 400. */
  lenientSids?: true
  /** The body is multipart/form-data and contains only files. */
  upload?: true
  /**
   * Name of the header with the signature of the raw body. The handler receives the unparsed body and the signature as
   * a `SignedBody`.
   */
  signedBy?: string
  /** Schema of the signed body, for the API documentation. The handler parses the body itself. */
  signedContent?: z.ZodType
  /** Media types of the response, if it is binary instead of JSON. */
  bytes?: readonly string[]
  /** Maximum size of the request body in bytes, if it differs from the default. */
  bodyLimit?: number
  /** Query parameter that turns a GET request into a write (`GET ?regenerate`). */
  writesWhen?: string
}

/** Members are empty if the request has no body or no signature. */
export interface SignedBody {
  payload: string
  signature: string
}

/** Stored bytes that are read while the response is sent. Offsets start at 0; `last` is inclusive. */
export interface StoredBytes {
  size: number
  read(first: number, last: number, abortSignal: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** Text of unknown length that is generated while the response is sent. */
export interface GeneratedText {
  make(abortSignal: AbortSignal): AsyncIterable<string>
}

/** A binary response. Clients can request ranges of `StoredBytes` (RFC 9110 §14). */
export interface Bytes {
  /** Media type. */
  type: string
  content: Uint8Array | StoredBytes | GeneratedText
  headers?: Readonly<Record<string, string>>
}

export type Endpoints = Readonly<Record<EndpointKey, Endpoint>>

/** Descriptions of fields and parameters by name, for the API documentation. */
export type Descriptions = Readonly<Record<string, string>>

/** Declares endpoints and preserves all literal types. */
export const endpoints = <const T extends Endpoints>(declared: T): T => declared

type ParamNames<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamNames<Head> | ParamNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** Path parameters of an endpoint, derived from its key. */
export type PathParams<K extends string> = { [N in ParamNames<K>]: string }

type SchemaOutput<S> = S extends z.ZodType ? z.output<S> : undefined
type SchemaInput<S> = S extends z.ZodType ? z.input<S> : undefined
type Member<E, M extends string> = E extends Readonly<Record<M, infer S>> ? S : undefined

/** Types that a handler receives. */
export type QueryOutput<E> = SchemaOutput<Member<E, 'query'>>
export type BodyOutput<E> = SchemaOutput<Member<E, 'body'>>
/** Types that a client sends. */
export type QueryInput<E> = SchemaInput<Member<E, 'query'>>
export type BodyInput<E> = SchemaInput<Member<E, 'body'>>

/** Responses that a handler can return, as pairs of status and body. */
export type EndpointResponse<E extends Endpoint> = {
  [S in keyof E['responses'] & number]: { status: S; body: SchemaOutput<E['responses'][S]> }
}[keyof E['responses'] & number]

/** Body that a client receives on success. */
export type EndpointResult<E extends Endpoint> = EndpointResponse<E>['body']

/** Splits an endpoint key into method and path. */
export const splitKey = (key: string): { method: Method; path: string } => {
  const space = key.indexOf(' ')
  // The cast is safe: the text before the space of an EndpointKey is always a method.
  return { method: key.slice(0, space) as Method, path: key.slice(space + 1) }
}
