import type { z } from 'zod'
import type { Scope } from './access.ts'
import type { ApiErrorCode } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `GET /Accounts/:account_sid`: the name of an endpoint, its method and its path below the API's base. */
export type EndpointKey = `${Method} /${string}`

/** The kinds of things whose owner can be looked up by sid before a handler runs. */
export type OwnedKind =
  | 'account'
  | 'alert_destination'
  | 'service_provider'
  | 'user'
  | 'application'
  | 'phone_number'
  | 'ms_teams_tenant'
  | 'client'
  | 'voip_carrier'
  | 'sip_gateway'
  | 'smpp_gateway'
  | 'speech_credential'
  | 'google_custom_voice'
  | 'lcr'
  | 'lcr_route'
  | 'lcr_carrier_set_entry'

/**
 * Whose the thing is that an endpoint touches:
 * - `none`: nobody's, alike for all callers (the password policy)
 * - `self`: the caller's own
 * - `narrowed`: a list that its store narrows to what the caller may see
 * - `body`: named in the body; the handler checks it as it would a read
 * - `{ of, param }`: the record that a path parameter names; looked up and checked before the handler runs
 */
export type OwnerRule =
  | 'none'
  | 'self'
  | 'narrowed'
  | 'body'
  | {
      of: OwnedKind
      param: string
      /** account users may read the provider they belong to, and what it has for all of its accounts */
      members?: 'read'
    }

export interface Access {
  /** the least scope; `public` needs no token */
  minScope: 'public' | Scope
  owner: OwnerRule
  /** only for a signed-in user, not for an API key */
  usersOnly?: true
  /** what is said to callers below `minScope` or without the owner's rights; by scope where the wire's words differ */
  refusal?: ApiErrorCode | Readonly<Record<Exclude<Scope, 'admin'>, ApiErrorCode>>
  /** also when the caller must change the password first */
  whilePasswordMustChange?: true
  /** not a change in the sense of the view-only rule, though its method writes */
  viewOnlyMay?: true
  /** also for one who has nothing but the link of a mail */
  withResetLink?: true
  /** of a public endpoint: its handler knows who calls where a token says so, and decides what that allows */
  callerIfKnown?: true
  /** writes also for an account that is suspended */
  whileSuspended?: true
}

export interface Endpoint {
  /** one line, for people */
  summary: string
  access: Access
  query?: z.ZodType
  body?: z.ZodType
  /** by status; null is an answer without a body */
  responses: Readonly<Record<number, z.ZodType | null>>
  /** a path parameter that is no UUID is answered like one that does not exist, not with 400 */
  looseSids?: true
  /** its body is a form of multipart/form-data, of files alone */
  upload?: true
  /** this header signs the text of its body, which therefore is taken as it came: the handler has both, a `SignedBody` */
  signedBy?: string
  /** its answer is bytes of one of these types, in place of JSON */
  bytes?: readonly string[]
  /** its body may be longer than others: so many bytes */
  bodyLimit?: number
  /** changes something in spite of its method, for these query members (`GET ?regenerate`) */
  writesWhen?: string
}

/** Empty where there is none. */
export interface SignedBody {
  payload: string
  signature: string
}

/** Bytes that lie elsewhere and are read as they are sent; places are counted from 0, `last` is read too. */
export interface StoredBytes {
  size: number
  read(first: number, last: number, gone: AbortSignal): Promise<AsyncIterable<Uint8Array>>
}

/** Text that is made while it is sent, of which nobody knows how much it will be. */
export interface MadeText {
  make(gone: AbortSignal): AsyncIterable<string>
}

/** An answer of bytes. Of what is stored, parts can be asked for (RFC 9110 §14). */
export interface Bytes {
  /** the media type */
  type: string
  content: Uint8Array | StoredBytes | MadeText
  headers?: Readonly<Record<string, string>>
}

export type Endpoints = Readonly<Record<EndpointKey, Endpoint>>

/** Declares endpoints, keeping every literal type. */
export const endpoints = <const T extends Endpoints>(declared: T): T => declared

type ParamNames<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamNames<Head> | ParamNames<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** The path parameters of an endpoint, from its key alone. */
export type PathParams<K extends string> = { [N in ParamNames<K>]: string }

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined
type InputOf<S> = S extends z.ZodType ? z.input<S> : undefined
type Member<E, M extends string> = E extends Readonly<Record<M, infer S>> ? S : undefined

/** What a handler receives. */
export type QueryOutput<E> = OutputOf<Member<E, 'query'>>
export type BodyOutput<E> = OutputOf<Member<E, 'body'>>
/** What a client sends. */
export type QueryInput<E> = InputOf<Member<E, 'query'>>
export type BodyInput<E> = InputOf<Member<E, 'body'>>

/** The answers a handler may give: status and body together. */
export type EndpointResponse<E extends Endpoint> = {
  [S in keyof E['responses'] & number]: { status: S; body: OutputOf<E['responses'][S]> }
}[keyof E['responses'] & number]

/** What a client gets on success. */
export type EndpointResult<E extends Endpoint> = EndpointResponse<E>['body']

/** Method and path of a key. */
export const splitKey = (key: string): { method: Method; path: string } => {
  const space = key.indexOf(' ')
  // A key is typed as EndpointKey, so what stands before the space is a method.
  return { method: key.slice(0, space) as Method, path: key.slice(space + 1) }
}
