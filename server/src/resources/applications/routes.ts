import type { Actor } from '@patchbay/contract/api/access'
import { toOptionalListPage } from '@patchbay/contract/api/list-pages'
import type { ApplicationChange, applicationEndpoints, ownerListQuery } from '@patchbay/contract/applications'
import type { z } from 'zod'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok, okOrNotFound } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createProblemReader } from '../shared/attention-records.ts'
import { checkCreateLimit } from '../shared/creation-limits.ts'
import { checkVariables, createAppEnvFetcher, createFetchCounter } from './app-env.ts'
import { createApplicationStore } from './store.ts'
import { readUsedBy } from './used-by.ts'
import { changeApplication, createApplication, deleteApplication } from './write.ts'

type ListQuery = z.output<typeof ownerListQuery>

export const applicationRoutes = ({
  database,
  missingSchema,
  write,
  configuration,
  encryption,
  owners,
  rates,
  outgoing,
  captures,
}: Services): Handlers<keyof typeof applicationEndpoints> => {
  const applications = createApplicationStore(database, missingSchema, encryption)
  const fetchAppEnv = createAppEnvFetcher(outgoing)
  const countFetch = createFetchCounter(rates, owners)
  const readProblem = createProblemReader({ database, captures })

  /** Lists the applications of an account or a provider, or those of them with a problem. */
  const list = async (
    actor: Actor,
    search: { account_sid: string } | { service_provider_sid: string },
    { name, attention, ...page }: ListQuery,
    getProvider: () => Promise<string>,
  ) => {
    const filter = { ...search, name }
    if (attention === undefined) return applications.list(actor, filter, toOptionalListPage(page))
    const sids = await readProblem(attention, actor, await getProvider())
    return applications.listSome(actor, sids, filter, toOptionalListPage(page))
  }

  /**
   * Validates variables against the description that the webhook provides. Runs before any row is locked. Nothing is
   * validated if the request fails or the tenant has exceeded its limit.
   */
  const checkAgainstHook = async (
    actor: Actor,
    values: ApplicationChange['env_vars'],
    getUrl: () => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<void> => {
    if (!values) return
    const url = await getUrl()
    if (url === undefined || !(await countFetch(actor))) return
    checkVariables(await fetchAppEnv(url, signal).catch(() => undefined), values)
  }

  return {
    'GET /Applications': async ({ actor, query }) =>
      ok(await applications.list(actor, { name: query.name }, toOptionalListPage(query))),

    'GET /Accounts/:account_sid/Applications': async ({ actor, params, query }) => {
      const provider = async () => (await owners.account(params.account_sid))?.service_provider_sid ?? ''
      return ok(await list(actor, params, query, provider))
    },

    'GET /ServiceProviders/:service_provider_sid/Applications': async ({ actor, params, query }) => {
      // The platform returns all applications here, whatever the page. Its clients do not send filters.
      const isFiltered = query.name !== undefined || query.attention !== undefined
      return ok(await list(actor, params, isFiltered ? query : {}, () => Promise.resolve(params.service_provider_sid)))
    },

    'GET /Applications/:application_sid': ({ actor, params }) =>
      okOrNotFound(applications.read(actor, params.application_sid)),

    'POST /Applications': async ({ actor, body, signal }) => {
      await checkAgainstHook(actor, body.env_vars, () => Promise.resolve(body.call_hook.url), signal)
      const sid = await write(actor, async (tx) => {
        await checkCreateLimit(tx, configuration, actor, 'applications')
        return createApplication(tx, actor, body, encryption)
      })
      return created({ sid })
    },

    'PUT /Applications/:application_sid': async ({ actor, params, body, signal }) => {
      const storedUrl = async () => (await applications.read(actor, params.application_sid))?.call_hook?.url
      await checkAgainstHook(actor, body.env_vars, async () => body.call_hook?.url ?? storedUrl(), signal)
      await write(actor, (tx) => changeApplication(tx, actor, params.application_sid, body, encryption))
    },

    'DELETE /Applications/:application_sid': ({ actor, params }) =>
      write(actor, (tx) => deleteApplication(tx, actor, params.application_sid, encryption)),

    'GET /patchbay/applications/:application_sid/used-by': async ({ actor, params }) =>
      ok(await readUsedBy(database, actor, params.application_sid)),
  }
}
