import { randomUUID } from 'node:crypto'
import type { contract } from '@patchbay/contract/contract'
import { type CallerName, includes, keys, mustChange, overA, signedOut, viewOnly } from './callers.ts'
import type { MatrixWorld, Request } from './matrix-world.ts'

/** Rules of the access matrix, and the outcome that a rule expects for a caller. */

export type EndpointName = keyof typeof contract

/** Expected status and msg. */
type Refusal = [number, string]

export interface Rule {
  may: readonly CallerName[] | 'public'
  /** The endpoint changes data, so view-only users are denied. */
  writes?: true
  /** API keys are denied. */
  usersOnly?: true
  /** Also allowed for users who must change their password. */
  beforePasswordChange?: true
  /** Also allowed for view-only users although it writes. */
  allowViewOnly?: true
  answers: number
  /** Expected msg if the response to permitted callers is an error. */
  says?: string
  /** Expected status and msg for callers without permission, per caller if they differ. */
  refused?: Refusal | ((caller: CallerName, world: MatrixWorld) => Refusal)
  /** Returns the request, or only its path if it has no body. */
  call: (world: MatrixWorld, caller: CallerName) => Request | string | Promise<Request | string>
}

/** Checks the names of the endpoints in the rules of an area. */
export const defineRules = <Name extends EndpointName>(rules: Record<Name, Rule>): Readonly<Record<Name, Rule>> => rules

export const permissions: Refusal = [403, 'insufficient permissions']
export const privileges: Refusal = [403, 'insufficient privileges']
export const forbidden: Refusal = [403, 'Forbidden']
export const notFound: Refusal = [404, 'Not Found']

type RecordEndpoint<Path extends string, Sid extends string> = `${'GET' | 'PUT' | 'DELETE'} ${Path}/:${Sid}`

/**
 * Returns the rules of the endpoints that read, change, and delete one record of account A.
 * @param sid the path parameter, and the name of the record among the world's things
 * @param change the body of a change
 * @param refused the errors of denied callers
 */
export const recordRules = <Path extends string, Sid extends keyof MatrixWorld['things']['A']>(
  collection: Path,
  sid: Sid,
  change: (world: MatrixWorld) => object,
  refused: { read: Refusal; write: Refusal } = { read: notFound, write: notFound },
): Record<RecordEndpoint<Path, Sid>, Rule> => {
  const toPath = ({ things }: MatrixWorld) => `${collection}/${things.A[sid]}`
  const rules: Readonly<Record<string, Rule>> = {
    [`GET ${collection}/:${sid}`]: { may: overA, answers: 200, refused: refused.read, call: toPath },
    [`PUT ${collection}/:${sid}`]: {
      may: overA,
      writes: true,
      answers: 204,
      refused: refused.write,
      call: (world) => ({ path: toPath(world), body: change(world) }),
    },
    [`DELETE ${collection}/:${sid}`]: { may: overA, writes: true, answers: 204, refused: refused.write, call: toPath },
  }
  // The keys above are those of the type.
  return rules as unknown as Record<RecordEndpoint<Path, Sid>, Rule>
}

/** The first page of a list. */
export const firstPage = 'page=1&count=25'
export const unique = () => randomUUID().slice(0, 20)

/** Deletes the routing table of an account, which cannot have a second one. */
export const withoutRouting = async ({ api, isShared, things }: MatrixWorld, account: 'A' | 'A2' | 'B') => {
  if (!isShared) await api.admin.delete(`/Lcrs/${things[account].lcr_sid}`)
}

/** Expected status and msg. An undefined msg matches any. */
type Outcome = [number, string | undefined]

/** Returns the expected response for a caller. */
export const getOutcome = (caller: CallerName, rule: Rule, world: MatrixWorld): Outcome => {
  const { may, writes, usersOnly, beforePasswordChange, allowViewOnly, answers, says, refused } = rule
  const fine: Outcome = [answers, says]
  if (may === 'public') return fine
  if (includes(signedOut, caller)) return [401, 'Unauthorized']
  if (includes(mustChange, caller) && !beforePasswordChange) return [403, 'You must change your password first']
  if (includes(viewOnly, caller) && writes && !allowViewOnly) return [403, 'User has view-only access']
  const isAllowed = may.includes(caller) && !(usersOnly && includes(keys, caller))
  if (isAllowed) return fine
  if (refused === undefined) throw new Error(`no refusal is written down for ${caller}`)
  return typeof refused === 'function' ? refused(caller, world) : refused
}

/** Returns whether the rule expects an error for a caller. A request with an error must change nothing. */
export const expectsError = (caller: CallerName, rule: Rule, world: MatrixWorld): boolean =>
  getOutcome(caller, rule, world)[1] !== undefined
