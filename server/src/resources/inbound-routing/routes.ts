import { type Actor, can } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { inboundRoutingEndpoints, LimitConcern } from '@patchbay/contract/inbound-routing'
import type { SearchContext } from '../../call-data/calls/search-options.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import {
  type ApplicationNeeds,
  findLastCallConcerns,
  judgeConfiguration,
  readUsableServices,
  selectApplicationNeeds,
} from '../shared/application-concerns.ts'
import { findReachedLimits } from '../shared/call-limits.ts'
import { routeInbound } from './inbound.ts'
import type { InboundAccount } from './inbound-model.ts'
import { readFacts } from './load-routing-data.ts'
import { createPatternMatcher } from './pattern-matcher.ts'
import { redactForActor } from './redact-for-actor.ts'

/** Limits how many questions a tenant can ask per minute, so that it cannot enumerate resources of other tenants. */
const maxQueriesPerMinute = 60

export const inboundRoutingRoutes = ({
  alerts,
  calls,
  database,
  liveCalls,
  rates,
}: Services): Handlers<keyof typeof inboundRoutingEndpoints> => {
  const count = async ({ scope, account_sid, service_provider_sid }: Actor): Promise<void> => {
    if (scope === 'admin') return
    const hit = await rates.hit(`inbound-routing:${account_sid ?? service_provider_sid}`, 60_000)
    if (hit.count > maxQueriesPerMinute) throwApiError('too_many_requests')
  }
  /**
   * Returns the application if the actor may see it. A shared carrier may route to an application of another account.
   */
  const readApplication = async (actor: Actor, sid: string | null) => {
    if (sid === null) return undefined
    const row = await selectApplicationNeeds(database)
      .where('applications.application_sid', '=', sid)
      .executeTakeFirst()
    return row && can(actor, 'read', row) ? row : undefined
  }
  const findConcerns = async (application: ApplicationNeeds, searcher: SearchContext) => [
    ...judgeConfiguration(application, (await readUsableServices(database, [application]))(application)),
    ...(await findLastCallConcerns({ calls, alerts }, application, searcher)),
  ]
  /** Returns the reached limits of the account of the call. An account does not learn the figures of its provider. */
  const findLimitConcerns = async (actor: Actor, account: InboundAccount | undefined): Promise<LimitConcern[]> => {
    if (account === undefined || !can(actor, 'read', account)) return []
    const limits = await findReachedLimits({ database, liveCalls }, account)
    return limits.map((limit) =>
      actor.scope === 'account' && limit.of === 'service_provider' ? { ...limit, used: null, quantity: null } : limit,
    )
  }
  return {
    'GET /patchbay/inbound-routing': async ({ actor, query, signal }) => {
      await count(actor)
      const facts = await readFacts(database, query)
      const routing = routeInbound(query, facts, createPatternMatcher())
      const application = await readApplication(actor, routing.end.is === 'taken' ? routing.end.application_sid : null)
      const concerns = application
        ? [
            ...(await findConcerns(application, { owner: fairnessKey(actor), signal })),
            ...(await findLimitConcerns(actor, routing.end.account)),
          ]
        : []
      const named = application ? { sid: application.application_sid, name: application.name } : null
      return ok(redactForActor(actor, facts, routing, named, concerns))
    },
  }
}
