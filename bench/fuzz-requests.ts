import { parseArgs } from 'node:util'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import { createRandom, type Random } from '@patchbay/server/demo/seeded-random'
import { jsonSchema } from '@patchbay/server/http/openapi'
import { collectIdentifiers, type Identifiers, readApiAnswers } from '@patchbay/testkit/api-answers'
import { createPathPart, createValueSource } from './fuzz/values.ts'
import { ask, type Engine, type Filled, filledServer, memory, parseEngines, printTable, scaled } from './harness.ts'

/**
 * `npm run bench:fuzz -- [sqlite] [mariadb] [--requests N] [--seed N]` sends random requests to every endpoint, as every
 * kind of caller: valid ones of the contract, and the same with hostile values in the path, the query, the headers, and
 * the body. Prints the responses by status, and each address with a status from 500. The exit code is 1 if there is one,
 * or if the server has ended.
 */

const { values: options, positionals } = parseArgs({
  options: { requests: { type: 'string' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const requestCount = Number(options.requests ?? scaled(100_000, 500))
const concurrency = 32
const timeoutMs = 30_000

/** A request as it is sent, so that it can be repeated. */
interface FuzzedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

interface Failure extends FuzzedRequest {
  key: string
  status: number
  answer: string
}

/** Records without which the other requests would find nothing. Only unknown ones are deleted. */
const fixedRecords = ['/Accounts/', '/ServiceProviders/', '/Users/', '/ApiKeys/']

const isFixed = (path: string) => fixedRecords.some((start) => path.startsWith(start) && path.split('/').length === 3)

const endpoints = Object.entries<Endpoint>(contract).map(([key, endpoint]) => ({
  key,
  ...splitKey(key as keyof typeof contract),
  bodySchema: endpoint.body ? jsonSchema(endpoint.body, 'input') : undefined,
  querySchema: endpoint.query ? jsonSchema(endpoint.query, 'input') : undefined,
}))

type CreateValue = ReturnType<typeof createValueSource>
type FuzzedEndpoint = (typeof endpoints)[number]

const createPath = (random: Random, { method, path }: FuzzedEndpoint, identifiers: Identifiers): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const values = [...(identifiers.get(name) ?? [])]
    const canUse = values.length > 0 && !(method === 'DELETE' && isFixed(path))
    return canUse && random.roll() < 0.8 ? encodeURIComponent(random.pick(values)) : createPathPart(random)
  })

const createQuery = (random: Random, createValue: CreateValue, { querySchema }: FuzzedEndpoint): string => {
  if (!querySchema) return ''
  const query = createValue(querySchema)
  if (typeof query !== 'object' || query === null) return '?a[b]=1&a=2&%ff'
  const parts = Object.entries(query).map(
    ([name, value]) =>
      `${name}=${encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed())}`,
  )
  if (parts[0] !== undefined && random.roll() < 0.05) parts.push(parts[0])
  // A longer request line is rejected by the HTTP parser, which tests nothing of the product.
  return parts.length === 0 ? '' : `?${parts.join('&')}`.slice(0, 12_000)
}

const createBody = (random: Random, createValue: CreateValue, { bodySchema }: FuzzedEndpoint): string | undefined => {
  if (!bodySchema) return random.roll() < 0.05 ? '{}' : undefined
  const text = JSON.stringify(createValue(bodySchema)) ?? ''
  const roll = random.roll()
  if (roll > 0.04) return text
  return random.pick([text.slice(0, random.below(text.length + 1)), `${text}}`, '', '[]', 'null', '"', '\u0000'])
}

const contentTypes = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'multipart/form-data', '']

const createRequest = (
  random: Random,
  endpoint: FuzzedEndpoint,
  { identifiers, tokens }: { identifiers: Identifiers; tokens: readonly string[] },
): FuzzedRequest => {
  const createValue = createValueSource(random, identifiers, random.pick([0, 0, 0, 0.1, 0.3]))
  const token = random.roll() < 0.05 ? random.pick(['x', '', '\u00ff', random.uuid()]) : random.pick(tokens)
  const body = endpoint.method === 'GET' ? undefined : createBody(random, createValue, endpoint)
  const type = random.roll() < 0.03 ? random.pick(contentTypes) : 'application/json'
  return {
    method: endpoint.method,
    path: createPath(random, endpoint, identifiers) + createQuery(random, createValue, endpoint),
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || type === '' ? {} : { 'content-type': type }),
      ...(random.roll() < 0.05 ? { 'if-none-match': random.pick(['*', '"x"', 'W/"', ',']) } : {}),
    },
    body,
  }
}

/** The key of the administrator is never deleted. The other keys of this run are created later. */
const isAdminKey = (value: object) => 'api_key_sid' in value && 'name' in value && value.name === 'Initial setup'

/** Returns API keys of every kind of caller, which no request signs out, and no token. */
const createTokens = async ({ server, token, adminKey, provider, busiest }: Filled): Promise<string[]> => {
  const createKey = async (owner: object) => (await ask<{ token: string }>(server.url, token, '/ApiKeys', owner)).token
  const provided = [await createKey({ service_provider_sid: provider }), await createKey({ account_sid: busiest })]
  return [adminKey, ...provided, adminKey, ...provided, adminKey, ...provided, '']
}

/** Sends a request. Status 0 means that there was no response in time. */
const fetchStatus = async (url: string, { method, path, headers, body }: FuzzedRequest) => {
  try {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, answer: (await response.text()).slice(0, 500) }
  } catch (error) {
    return { status: 0, answer: String(error) }
  }
}

const run = async (engine: Engine): Promise<boolean> => {
  const filled = await filledServer(engine, ['--accounts', '3', '--calls', '500', '--alerts', '50', '--numbers', '30'])
  const { server } = filled
  try {
    const period = { start: new Date(Date.now() - 40 * 86_400_000).toISOString(), end: new Date().toISOString() }
    const identifiers: Identifiers = new Map()
    for (const answer of (await readApiAnswers(server.url, filled.adminKey, period)).values())
      collectIdentifiers(answer, identifiers, isAdminKey)
    const tokens = await createTokens(filled)
    const random = createRandom(Number(options.seed))
    const statuses = new Map<number, number>()
    const failures = new Map<string, Failure>()
    let position = 0
    const send = async () => {
      while (position < requestCount) {
        const endpoint = endpoints[position % endpoints.length]
        position += 1
        if (endpoint === undefined) continue
        const request = createRequest(random, endpoint, { identifiers, tokens })
        const { status, answer } = await fetchStatus(server.url, request)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 0 || status >= 500)
          failures.set(`${endpoint.key} ${status} ${answer.slice(0, 80)}`, {
            key: endpoint.key,
            status,
            answer,
            ...request,
          })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, send))
    process.stdout.write(`\n${engine}, seed ${options.seed}, peak ${memory(server.pid).peak.toFixed(0)} MB\n\n`)
    printTable([
      ['status', 'responses'],
      ...[...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => [String(status), String(count)]),
    ])
    for (const failure of failures.values()) process.stdout.write(`${JSON.stringify(failure).slice(0, 2000)}\n`)
    return failures.size === 0
  } finally {
    await filled.stop()
  }
}

for (const engine of parseEngines(positionals)) if (!(await run(engine))) process.exitCode = 1
