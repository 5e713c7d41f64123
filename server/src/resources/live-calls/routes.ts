import { randomUUID } from 'node:crypto'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { type liveCallEndpoints, maxProviderCalls, type NewCall } from '@patchbay/contract/live-calls'
import { listOptions } from '@patchbay/contract/shared/call-changes'
import { isSid } from '@patchbay/contract/shared/sids'
import type { StoredCall } from '../../adapters/live-calls/live-calls.ts'
import type { Change } from '../../database/write-transaction.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { selectOwnedAccounts } from '../shared/owned-rows.ts'
import { matchesQuery, toLiveCall } from './serialize.ts'
import { createCallApplications } from './store.ts'

type Members = Readonly<Record<string, unknown>>

const toMembers = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {})

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A string is the URL of a webhook that is called with POST. */
const toHook = (hook: unknown): unknown => (typeof hook === 'string' ? { url: hook, method: 'POST' } : hook)

const withHooks = ({ call_hook, call_status_hook, ...call }: NewCall): Members => ({
  ...call,
  ...(call_hook ? { call_hook: toHook(call_hook) } : {}),
  ...(call_status_hook ? { call_status_hook: toHook(call_status_hook) } : {}),
})

/** Feature servers reject members that are null. */
const withoutNulls = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

/** Returns the destination of a new call without its other fields, which may include a password. */
const getDestination = (to: unknown): string => {
  const { number, name, sipUri } = toMembers(to)
  return toText(number) || toText(name) || toText(sipUri)
}

const describeParties = ({ members }: StoredCall): string => `${members['from'] ?? ''} to ${members['to'] ?? ''}`

export const liveCallRoutes = ({
  configuration: { featureServers },
  database,
  featureServer,
  liveCalls,
  write,
}: Services): Handlers<keyof typeof liveCallEndpoints> => {
  const readCallApplication = createCallApplications(database)
  let rotation = 0

  /** Returns the active feature servers, starting with a different one each time. */
  const listFeatureServers = async (): Promise<string[]> => {
    const all = featureServers.service === null ? await liveCalls.featureServers() : [featureServers.service]
    const first = all.length === 0 ? 0 : (rotation += 1) % all.length
    return [...all.slice(first), ...all.slice(0, first)]
  }

  /** Records a change in the audit trail. Live calls are not in the database. */
  const record = (actor: Caller, account_sid: string, change: Omit<Change, 'owner'>): Promise<void> =>
    write(actor, (tx) => Promise.resolve(tx.record({ ...change, owner: { account_sid, service_provider_sid: null } })))

  const requireCall = async (account_sid: string, call_sid: string): Promise<StoredCall> =>
    (await liveCalls.find(account_sid, call_sid)) ?? throwApiError('not_found')

  const buildCall = async (account_sid: string, call: NewCall): Promise<object> => {
    const { application_sid } = call
    if (!application_sid) return withoutNulls({ ...withHooks(call), account_sid })
    const application =
      (isSid(toText(application_sid)) ? await readCallApplication(toText(application_sid), account_sid) : undefined) ??
      throwInvalid(`application_sid not found ${toText(application_sid).slice(0, 64)}`.trimEnd(), 'application_sid')
    return withoutNulls({ ...call, ...application, account_sid })
  }

  const change = async ({
    actor,
    params: { account_sid, call_sid },
    body,
  }: Context<'PUT /Accounts/:account_sid/Calls/:call_sid'>) => {
    const call = await requireCall(account_sid, call_sid)
    const { serviceUrl } = call.members
    const path = `${featureServers.version}/updateCall/${call_sid}`
    const answer = await featureServer.post(serviceUrl ? [serviceUrl] : [], path, body)
    // Values may be secrets or typed by a caller, so the audit trail contains only their names, and the requested final
    // status.
    const audited = {
      asked: listOptions(body).join(', '),
      ...(body.call_status ? { call_status: body.call_status } : {}),
    }
    const event = { kind: 'live_call', sid: call_sid, name: describeParties(call) } as const
    await record(actor, account_sid, { action: 'update', ...event, before: {}, after: audited })
    return answer.status === 200 ? ok(answer.body) : ({ status: 202, body: undefined } as const)
  }

  return {
    'GET /Accounts/:account_sid/Calls': async ({ params: { account_sid }, query }) => {
      const calls = await liveCalls.list(account_sid)
      return ok(calls.filter(matchesQuery(query)).map((call) => toLiveCall(account_sid, call)))
    },

    'GET /patchbay/service-providers/:service_provider_sid/live-calls': async ({
      params: { service_provider_sid },
    }) => {
      const owned = await selectOwnedAccounts(database, { service_provider_sid }).execute()
      const account_sids = new Set(owned.map(({ account_sid }) => account_sid))
      const { calls, isCut } = await liveCalls.listOfAccounts(service_provider_sid, account_sids, maxProviderCalls)
      return ok({ data: calls.map((call) => toLiveCall(call.account_sid, call)), is_cut: isCut })
    },

    'POST /Accounts/:account_sid/Calls': async ({ actor, params: { account_sid }, body }) => {
      if (actor.scope === 'service_provider') throwInvalid(`unauthorized createCall request for account ${account_sid}`)
      const [bases, call] = [await listFeatureServers(), await buildCall(account_sid, body)]
      const answer = await featureServer.post(bases, 'v1/createCall', call)
      const createdCall = toMembers(answer.body)
      const { sid } = createdCall
      if (answer.status !== 201 || typeof sid !== 'string') return throwApiError('feature_server_failed')
      const { from, to, application_sid } = body
      const audited = { from, to: getDestination(to), application_sid: application_sid || null }
      await record(actor, account_sid, {
        action: 'create',
        kind: 'live_call',
        sid: sid.slice(0, 36),
        before: null,
        after: audited,
      })
      return created({ ...createdCall, sid })
    },

    'GET /Accounts/:account_sid/Calls/:call_sid': async ({ params: { account_sid, call_sid } }) =>
      ok(toLiveCall(account_sid, await requireCall(account_sid, call_sid))),

    'PUT /Accounts/:account_sid/Calls/:call_sid': change,
    'POST /Accounts/:account_sid/Calls/:call_sid': change,

    'DELETE /Accounts/:account_sid/Calls/:call_sid': async ({ actor, params: { account_sid, call_sid } }) => {
      const call = await requireCall(account_sid, call_sid)
      if (!(await liveCalls.remove(account_sid, call_sid))) throwApiError('not_found')
      const { from, to } = call.members
      const event = { kind: 'live_call', sid: call_sid, name: describeParties(call) } as const
      await record(actor, account_sid, { action: 'delete', ...event, before: { from, to }, after: null })
    },

    'GET /Accounts/:account_sid/CallCount': async ({ params: { account_sid } }) =>
      ok(await liveCalls.count(account_sid)),

    'POST /Accounts/:account_sid/Messages': async ({ actor, params: { account_sid }, body }) => {
      if (actor.scope !== 'account') throwInvalid(`unauthorized createMessage request for account ${account_sid}`)
      const message_sid = randomUUID()
      const message = { message_sid, ...body, account_sid }
      const { status, body: responseBody } = await featureServer.post(
        await listFeatureServers(),
        `v1/createMessage/${account_sid}`,
        message,
      )
      const audited = { from: toText(body.from), to: toText(body.to) }
      const event = { kind: 'text_message', sid: message_sid } as const
      await record(actor, account_sid, { action: 'create', ...event, before: null, after: audited })
      return { status: status === 200 || status === 202 ? status : 201, body: responseBody }
    },

    'GET /Accounts/:account_sid/Queues': async ({ params: { account_sid }, query }) =>
      ok(await liveCalls.queues(account_sid, query.search || undefined)),

    'GET /Accounts/:account_sid/Conferences': async ({ params: { account_sid } }) =>
      ok(await liveCalls.conferences(account_sid)),
  }
}
