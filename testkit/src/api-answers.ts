import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { callApi } from './crash/durability-ledger.ts'

/** Requests every address that can be read, with identifiers that occur in other responses. */

export type ApiAnswers = ReadonlyMap<string, unknown>

/** Identifiers by the name of their member. */
export type Identifiers = Map<string, Set<string>>

/** Identifiers per name that are used in addresses. */
const maxIdentifiers = 3

/** Adds the identifiers of a response, at most some per name. Leaves out objects that are skipped. */
export const collectIdentifiers = (
  value: unknown,
  identifiers: Identifiers,
  isSkipped: (value: object) => boolean = () => false,
): void => {
  if (Array.isArray(value)) for (const each of value) collectIdentifiers(each, identifiers, isSkipped)
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isSkipped(value)) return
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && /(?:_sid|_callid|_id)$/.test(name)) {
      const values = identifiers.get(name) ?? new Set()
      if (values.size < maxIdentifiers) identifiers.set(name, values.add(member))
    } else collectIdentifiers(member, identifiers, isSkipped)
  }
}

/** Returns the addresses of an endpoint: every combination of identifiers. */
const fillParameters = (path: string, identifiers: Identifiers): string[] => {
  const [parameter, name = ''] = /:(\w+)/.exec(path) ?? []
  if (parameter === undefined) return [path]
  return [...(identifiers.get(name) ?? [])].flatMap((value) =>
    fillParameters(path.replace(parameter, encodeURIComponent(value)), identifiers),
  )
}

/** Returns the query that makes a response complete and independent of the current time. */
const toQuery = (names: readonly string[], period: { start: string; end: string }): string => {
  const values: Record<string, string> = { page: '1', count: '50', page_size: '50', ...period, today: period.start }
  const used = names.filter((name) => name in values).map((name): [string, string] => [name, values[name] ?? ''])
  return new URLSearchParams(used).toString()
}

/** Requests that test a credential with its vendor, and store the result. */
const hasSideEffect = (path: string): boolean => path.endsWith('/test')

/**
 * Returns the successful responses by path. Endpoints that the server lacks are left out.
 *
 * @param period start and end of lists of calls, alerts, and changes, ISO 8601
 * @param paths paths that are requested whatever identifiers occur, such as those that another version answered
 */
export const readApiAnswers = async (
  url: string,
  token: string,
  period: { start: string; end: string },
  paths: Iterable<string> = [],
): Promise<ApiAnswers> => {
  const answers = new Map<string, unknown>()
  const requested = new Set<string>()
  const identifiers: Identifiers = new Map()
  /** Returns whether the response was successful. */
  const request = async (address: string, query: string): Promise<boolean> => {
    const path = query === '' ? address : `${address}?${query}`
    if (requested.has(path)) return answers.has(path)
    requested.add(path)
    const { status, body } = await callApi({ url }, token, 'GET', path)
    if (status !== 200) return false
    answers.set(path, body)
    collectIdentifiers(body, identifiers)
    return true
  }
  for (const path of paths) await request(path, '')
  // The second round has the identifiers that the first one found.
  for (let round = 1; round <= 2; round += 1)
    for (const [key, endpoint] of Object.entries<Endpoint>(contract)) {
      const { method, path } = splitKey(key)
      if (method !== 'GET' || hasSideEffect(path)) continue
      const names = Object.keys((endpoint.query as { shape?: object } | undefined)?.shape ?? {})
      for (const address of fillParameters(path, identifiers)) {
        if (await request(address, toQuery(names, period))) continue
        // Some lists require the record that they belong to.
        for (const name of names)
          for (const sid of identifiers.get(name) ?? []) await request(address, `${name}=${sid}`)
      }
    }
  return answers
}
