import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { createRandom } from '@patchbay/server/demo/seeded-random'

/** Writers that record acknowledged writes, and checks that each of these writes exists once and completely. */

/** Returns pseudorandom numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed. */
export type Random = () => number

export const seeded = (seed: number): Random => createRandom(seed).roll

const pickRandom = <T>(random: Random, values: readonly [T, ...T[]]): T =>
  values[Math.floor(random() * values.length)] ?? values[0]

/** Ports and credentials of the server under test. */
export interface Target {
  url: string
  intakePort: number
  otlpPort: number
  /** Session token of a signed-in user. */
  session: string
  apiKey: string
}

export interface Answer {
  kind: 'account' | 'change' | 'calls' | 'traces' | 'session' | 'other'
  /** 0 if there was no response. */
  status: number
  body: unknown
  milliseconds: number
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const ask = async (kind: Answer['kind'], url: string, request: RequestInit): Promise<Answer> => {
  const started = performance.now()
  const answer = await fetch(url, request)
    .then(async (response) => ({ status: response.status, body: parsed(await response.text()) }))
    .catch((error: unknown) => ({ status: 0, body: String(error) }))
  return { kind, ...answer, milliseconds: performance.now() - started }
}

export const callApi = (
  { url }: Pick<Target, 'url'>,
  token: string,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  kind: Answer['kind'] = 'other',
): Promise<Answer> =>
  ask(kind, `${url}/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

export const isDone = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Returns the body of a successful response. Throws for other responses. */
export const getBody = (answer: Answer): unknown => {
  if (!isDone(answer)) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const getMember = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined

export const getText = (from: unknown, name: string): string => {
  const value = getMember(from, name)
  if (typeof value !== 'string') throw new Error(`there is no ${name} in ${JSON.stringify(from)}`)
  return value
}

interface Batch {
  account_sid: string
  call_sids: string[]
  lines: string
}

/** A trace of an account, exported with a single request. */
interface ExportedTrace {
  account_sid: string
  trace_id: string
  spans: number
}

/** Attempted and acknowledged writes of all writers of one service provider. */
export interface Ledger {
  service_provider_sid: string
  /** Names of all requested accounts, acknowledged or not. */
  begun: Set<string>
  /**
   * Acknowledged accounts with their possible versions. `late` contains versions of timed-out requests, which can still
   * take effect.
   */
  accounts: Map<string, { name: string; versions: number[]; late: number[] }>
  /** Number of acknowledged account changes. */
  changes: number
  callAccounts: string[]
  /** All attempted calls: account SID by call SID. */
  attemptedCalls: Map<string, string>
  acknowledgedCalls: Set<string>
  /** Batches without an acknowledgment, which a real client would send again. */
  openBatches: Batch[]
  acknowledgedTraces: ExportedTrace[]
  /** Traces without an acknowledgment, which exist either completely or not at all. */
  openTraces: ExportedTrace[]
  answers: Answer[]
  /** Emits `answer` for each response. */
  events: EventEmitter
}

const note = (ledger: Ledger, answer: Answer): Answer => {
  ledger.answers.push(answer)
  ledger.events.emit('answer')
  return answer
}

/** Creates a service provider with two accounts for calls. */
export const openLedger = async (target: Target): Promise<Ledger> => {
  const createdProvider = await callApi(target, target.apiKey, 'POST', '/ServiceProviders', {
    name: `provider ${randomUUID()}`,
  })
  const service_provider_sid = getText(getBody(createdProvider), 'sid')
  const callAccount = async () => {
    const body = { name: `calls ${randomUUID()}`, service_provider_sid }
    return getText(getBody(await callApi(target, target.apiKey, 'POST', '/Accounts', body)), 'sid')
  }
  return {
    service_provider_sid,
    begun: new Set(),
    accounts: new Map(),
    changes: 0,
    callAccounts: [await callAccount(), await callAccount()],
    attemptedCalls: new Map(),
    acknowledgedCalls: new Set(),
    openBatches: [],
    acknowledgedTraces: [],
    openTraces: [],
    answers: [],
    events: new EventEmitter(),
  }
}

/** Returns all values of an account in a version. A mixture of two versions indicates a partial write. */
const accountValues = (name: string, version: number) => ({
  device_to_call_ratio: version,
  registration_hook: { url: `https://example.org/${name}/registration/${version}`, method: 'POST' },
  queue_event_hook: { url: `https://example.org/${name}/queue/${version}`, method: 'POST' },
})

const createAccount = async (target: Target, ledger: Ledger): Promise<string | undefined> => {
  const { service_provider_sid } = ledger
  const name = randomUUID()
  ledger.begun.add(name)
  const body = { name, service_provider_sid, ...accountValues(name, 0) }
  const answer = note(ledger, await callApi(target, target.apiKey, 'POST', '/Accounts', body, 'account'))
  if (!isDone(answer)) return undefined
  const sid = getText(answer.body, 'sid')
  ledger.accounts.set(sid, { name, versions: [0], late: [] })
  return sid
}

const changeAccount = async (target: Target, ledger: Ledger, sid: string): Promise<void> => {
  const account = ledger.accounts.get(sid)
  if (account === undefined) throw new Error(`nobody made ${sid}`)
  const version = Math.max(...account.versions) + 1
  // The new version is possible as soon as the request is sent, and the old one until the acknowledgment arrives.
  account.versions.push(version)
  const body = accountValues(account.name, version)
  const answer = note(ledger, await callApi(target, target.apiKey, 'PUT', `/Accounts/${sid}`, body, 'change'))
  if (getMember(answer.body, 'code') === 'outcome_unknown') account.late.push(version)
  if (!isDone(answer)) return
  account.versions = [version, ...account.late]
  ledger.changes += 1
}

/** The ratio, which serves as the version number, has a maximum of 1000. */
const maxChanges = 500

const writeAccounts = async (target: Target, ledger: Ledger, random: Random, stopped: () => boolean) => {
  let ownSid: string | undefined
  let changes = 0
  while (!stopped()) {
    if (ownSid !== undefined && changes < maxChanges && random() < 0.5) {
      changes += 1
      await changeAccount(target, ledger, ownSid)
    } else {
      const createdSid = await createAccount(target, ledger)
      if (createdSid === undefined) continue
      ownSid = createdSid
      changes = 0
    }
  }
}

const someHours = 5 * 3_600_000

const newBatch = (ledger: Ledger, random: Random): Batch => {
  const { service_provider_sid, callAccounts } = ledger
  const account_sid = callAccounts[Math.floor(random() * callAccounts.length)] ?? ''
  const call_sids = Array.from({ length: pickRandom(random, [1, 1, 2, 10, 60, 600, 1300]) }, () => randomUUID())
  const lines = call_sids.map((call_sid) => {
    const answered = random() < 0.5
    const tags = `direction=${pickRandom(random, ['inbound', 'outbound'])},trunk=${pickRandom(random, ['a', 'b', 'c'])}`
    const time = `${Date.now() - Math.floor(random() * someHours)}${String(Math.floor(random() * 1e6)).padStart(6, '0')}`
    const fields = `call_sid="${call_sid}",duration=${answered ? 7 : 0},from="1508",to="1888"`
    const owner = `account_sid=${account_sid},service_provider_sid=${service_provider_sid}`
    return `cdrs,${owner},${tags},answered=${answered} ${fields} ${time}`
  })
  return { account_sid, call_sids, lines: lines.join('\n') }
}

const send = async ({ intakePort }: Target, ledger: Ledger, batch: Batch): Promise<void> => {
  const url = `http://127.0.0.1:${intakePort}/write?db=cdrs&precision=n`
  const answer = note(ledger, await ask('calls', url, { method: 'POST', body: batch.lines }))
  if (answer.status === 204) for (const call_sid of batch.call_sids) ledger.acknowledgedCalls.add(call_sid)
  else ledger.openBatches.push(batch)
}

const writeCalls = async (target: Target, ledger: Ledger, random: Random, stopped: () => boolean) => {
  while (!stopped()) {
    const batch = newBatch(ledger, random)
    for (const call_sid of batch.call_sids) ledger.attemptedCalls.set(call_sid, batch.account_sid)
    await send(target, ledger, batch)
  }
}

const hex = (digits: number): string => randomUUID().replaceAll('-', '').slice(0, digits)

const newTrace = ({ callAccounts }: Ledger, random: Random): ExportedTrace => ({
  account_sid: callAccounts[Math.floor(random() * callAccounts.length)] ?? '',
  trace_id: hex(32),
  spans: pickRandom(random, [1, 8, 72, 500]),
})

/** Returns an OTLP/JSON export. Span IDs are deterministic, so that a repeated export has the same spans. */
const toOtlpExport = ({ account_sid, trace_id, spans }: ExportedTrace): string => {
  const attributes = [{ key: 'accountSid', value: { stringValue: account_sid } }]
  const times = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000001000000000' }
  const all = Array.from({ length: spans }, (_, position) => ({
    traceId: trace_id,
    spanId: (position + 1).toString(16).padStart(16, '0'),
    name: `verb:say ${position}`,
    ...times,
    attributes,
  }))
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: all }] }] })
}

const sendTrace = async ({ otlpPort }: Target, ledger: Ledger, trace: ExportedTrace): Promise<void> => {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: toOtlpExport(trace) }
  const answer = note(ledger, await ask('traces', `http://127.0.0.1:${otlpPort}/v1/traces`, request))
  ;(isDone(answer) ? ledger.acknowledgedTraces : ledger.openTraces).push(trace)
}

const readsPerTrace = 10

/** Reads with a session that must never end, and exports a trace occasionally. */
const readAndTrace = async (target: Target, ledger: Ledger, random: Random, stopped: () => boolean) => {
  for (let look = 0; !stopped(); look += 1) {
    if (look % readsPerTrace === 0) await sendTrace(target, ledger, newTrace(ledger, random))
    note(ledger, await callApi(target, target.session, 'GET', '/Users/me', undefined, 'session'))
  }
}

export interface Writing {
  /** Resolves when every writer has received its last response. */
  stop(): Promise<void>
}

const ofAccounts = ['account', 'change'] as const
const responseKinds = { accounts: ofAccounts, everything: [...ofAccounts, 'calls', 'traces', 'session'] as const }

export type Written = keyof typeof responseKinds

/**
 * Starts several concurrent writers that run until they are stopped. With `accounts` alone, the number of account
 * writes is higher.
 */
export const keepWriting = (target: Target, ledger: Ledger, random: Random, what: Written = 'everything'): Writing => {
  let isStopped = false
  const stopped = () => isStopped
  const accounts = [1, 2, 3].map(() => writeAccounts(target, ledger, random, stopped))
  const others = () => [
    ...[1, 2, 3].map(() => writeCalls(target, ledger, random, stopped)),
    readAndTrace(target, ledger, random, stopped),
  ]
  const writers = Promise.all(what === 'accounts' ? accounts : [...accounts, ...others()])
  const stop = async () => {
    isStopped = true
    await writers
  }
  return { stop }
}

/** Fails with a readable message before a test's own timeout. */
const patienceMs = 240_000

/** Resolves when each kind of request has received a new response for which `when` returns true. */
export const answered = async (
  ledger: Ledger,
  when: (answer: Answer) => boolean,
  what: Written = 'everything',
): Promise<void> => {
  const before = ledger.answers.length
  const signal = AbortSignal.timeout(patienceMs)
  const waited = () => {
    const seen = new Set(
      ledger.answers
        .slice(before)
        .filter(when)
        .map(({ kind }) => kind),
    )
    return responseKinds[what].filter((kind) => !seen.has(kind))
  }
  while (waited().length > 0)
    await once(ledger.events, 'answer', { signal }).catch((cause: unknown) => {
      throw new Error(`in vain for answers to: ${waited().join(', ')}`, { cause })
    })
}

/** Resends unacknowledged writes, like a real client. */
export const sendAgain = async (target: Target, ledger: Ledger): Promise<void> => {
  const batches = ledger.openBatches
  ledger.openBatches = []
  for (const batch of batches) await send(target, ledger, batch)
  const traces = ledger.openTraces
  ledger.openTraces = []
  for (const trace of traces) await sendTrace(target, ledger, trace)
}

const asList = (from: unknown): unknown[] => {
  if (!Array.isArray(from)) throw new Error(`no list: ${JSON.stringify(from)}`)
  return from
}

const pageSize = 500

const isVersion = (account: unknown, name: string, version: number): boolean => {
  const { device_to_call_ratio, registration_hook, queue_event_hook } = accountValues(name, version)
  return (
    getMember(account, 'device_to_call_ratio') === device_to_call_ratio &&
    getMember(getMember(account, 'registration_hook'), 'url') === registration_hook.url &&
    getMember(getMember(account, 'queue_event_hook'), 'url') === queue_event_hook.url
  )
}

const fetchAccounts = async (target: Target, { service_provider_sid }: Ledger): Promise<Map<string, unknown>> => {
  const path = `/ServiceProviders/${service_provider_sid}/Accounts`
  const accountList = asList(getBody(await callApi(target, target.apiKey, 'GET', path)))
  return new Map(accountList.map((account) => [getText(account, 'account_sid'), account]))
}

const accountProblems = async (target: Target, ledger: Ledger): Promise<string[]> => {
  const { callAccounts } = ledger
  const bySid = await fetchAccounts(target, ledger)
  const lost = [...ledger.accounts].flatMap(([sid, { name, versions }]) => {
    const account = bySid.get(sid)
    if (account === undefined) return [`account ${sid} is lost`]
    if (getText(account, 'name') === name && versions.some((version) => isVersion(account, name, version))) return []
    return [`account ${sid} is not as acknowledged (${versions.join(' or ')}): ${JSON.stringify(account)}`]
  })
  const stray = [...bySid].flatMap(([sid, account]) => {
    if (ledger.accounts.has(sid) || callAccounts.includes(sid)) return []
    const name = getText(account, 'name')
    return ledger.begun.has(name) && isVersion(account, name, 0) ? [] : [`half an account: ${JSON.stringify(account)}`]
  })
  return [...lost, ...stray]
}

/** Returns the audit entries of the provider's accounts, oldest first. */
const fetchAuditEntries = async (target: Target, { service_provider_sid }: Ledger): Promise<unknown[]> => {
  const entries: unknown[] = []
  for (let page = 1; ; page += 1) {
    const path = `/patchbay/audit-trail?service_provider_sid=${service_provider_sid}&kind=account&page=${page}&count=${pageSize}`
    const some = asList(getMember(getBody(await callApi(target, target.apiKey, 'GET', path)), 'data'))
    entries.push(...some)
    if (some.length < pageSize) return entries.toReversed()
  }
}

/** Each entry must start with the value of the previous one, and the last one must match the current value. */
const auditProblems = async (target: Target, ledger: Ledger): Promise<string[]> => {
  const reached = new Map<string, unknown>()
  const problems: string[] = []
  for (const entry of await fetchAuditEntries(target, ledger)) {
    const sid = getText(entry, 'sid')
    if (ledger.callAccounts.includes(sid)) continue
    const change = asList(getMember(entry, 'changes')).find((one) => getMember(one, 'field') === 'device_to_call_ratio')
    const before = getMember(change, 'before')
    if (before !== (reached.get(sid) ?? null))
      problems.push(
        `the trail of account ${sid} goes on from ${String(before)}, and was at ${String(reached.get(sid))}`,
      )
    reached.set(sid, getMember(change, 'after'))
  }
  for (const [sid, account] of await fetchAccounts(target, ledger)) {
    if (ledger.callAccounts.includes(sid)) continue
    const [is, last] = [getMember(account, 'device_to_call_ratio'), reached.get(sid)]
    if (is !== last) problems.push(`the trail of account ${sid} ends with ${String(last)}, and it is ${String(is)}`)
  }
  return problems
}

const fetchCallPage = async (target: Target, owner: string, page: number, count: number) => {
  const path = `${owner}/RecentCalls?page=${page}&count=${count}`
  const body = getBody(await callApi(target, target.apiKey, 'GET', path))
  return { total: Number(getMember(body, 'total')), calls: asList(getMember(body, 'data')) }
}

/** Returns all calls of an owner, fetched page by page, and the reported total. */
const readCalls = async (target: Target, owner: string): Promise<{ total: number; call_sids: string[] }> => {
  const call_sids: string[] = []
  for (let page = 1; ; page += 1) {
    const { total, calls } = await fetchCallPage(target, owner, page, pageSize)
    call_sids.push(...calls.map((call) => getText(call, 'call_sid')))
    if (calls.length < pageSize) return { total, call_sids }
  }
}

const callProblems = async (target: Target, ledger: Ledger): Promise<string[]> => {
  const problems: string[] = []
  const existing = new Set<string>()
  let sum = 0
  for (const account_sid of ledger.callAccounts) {
    const { total, call_sids } = await readCalls(target, `/Accounts/${account_sid}`)
    if (total !== call_sids.length)
      problems.push(`${account_sid} has ${call_sids.length} calls and a total of ${total}`)
    sum += total
    for (const call_sid of call_sids) {
      if (existing.has(call_sid)) problems.push(`call ${call_sid} is there twice`)
      if (ledger.attemptedCalls.get(call_sid) !== account_sid)
        problems.push(`call ${call_sid} is not of ${account_sid}`)
      existing.add(call_sid)
    }
  }
  for (const call_sid of ledger.acknowledgedCalls)
    if (!existing.has(call_sid)) problems.push(`call ${call_sid} is lost`)
  const { total } = await fetchCallPage(target, `/ServiceProviders/${ledger.service_provider_sid}`, 1, 1)
  if (total !== sum) problems.push(`the provider has a total of ${total} calls, its accounts of ${sum}`)
  return problems
}

const spansIn = (trace: unknown): number =>
  asList(getMember(trace, 'resourceSpans'))
    .flatMap((resource) => asList(getMember(resource, 'instrumentationLibrarySpans')))
    .flatMap((library) => asList(getMember(library, 'spans'))).length

const traceProblems = async (target: Target, ledger: Ledger): Promise<string[]> => {
  const problems: string[] = []
  const look = async ({ account_sid, trace_id, spans }: ExportedTrace, isAcknowledged: boolean) => {
    const path = `/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`
    const { status, body } = await callApi(target, target.apiKey, 'GET', path)
    if (status === 404 && !isAcknowledged) return
    const existingSpans = status === 200 ? spansIn(body) : 0
    if (existingSpans !== spans)
      problems.push(`trace ${trace_id} has ${existingSpans} of ${spans} spans (answered ${status})`)
  }
  for (const trace of ledger.acknowledgedTraces) await look(trace, true)
  for (const trace of ledger.openTraces) await look(trace, false)
  return problems
}

/** Returns lost, duplicate, and partial writes. */
export const findLostWrites = async (target: Target, ledger: Ledger): Promise<string[]> => [
  ...(await traceProblems(target, ledger)),
  ...(await accountProblems(target, ledger)),
  ...(await auditProblems(target, ledger)),
  ...(await callProblems(target, ledger)),
]

/** Returns the number of acknowledged writes: accounts, account changes, calls, and traces. */
export const countWrites = ({ accounts, changes, acknowledgedCalls, acknowledgedTraces }: Ledger) => ({
  accounts: accounts.size,
  changes,
  calls: acknowledgedCalls.size,
  traces: acknowledgedTraces.length,
})
