import { toListPage } from '@patchbay/contract/api/list-pages'
import type { manyPhoneNumberEndpoints } from '@patchbay/contract/bulk-phone-numbers'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { importNumbers, resolveProvider, toRowPlans } from './number-import.ts'
import { type RoutingChange, routeNumbers } from './number-routing.ts'
import { createNameResolver } from './resolve-names.ts'
import { createPhoneNumberStore } from './store.ts'

/** An empty text means no application, as in other requests of the platform's API. */
const toRoutingChange = ({ application_sid, current_application_sid: current }: RoutingChange): RoutingChange => ({
  application_sid: application_sid || null,
  ...(current === undefined ? {} : { current_application_sid: current || null }),
})

export const manyPhoneNumberRoutes = ({
  database,
  write,
  configuration,
  missingSchema,
}: Services): Handlers<keyof typeof manyPhoneNumberEndpoints> => {
  const numbers = createPhoneNumberStore(database, missingSchema)
  const addNames = createNameResolver(database)
  return {
    'GET /patchbay/phone-numbers': async ({ actor, query }) => {
      const { data, ...page } = await numbers.page(actor, query, toListPage(query))
      return ok({ ...page, data: await addNames(data) })
    },

    'POST /patchbay/phone-numbers/routing': async ({ actor, body: { phone_number_sids, ...change } }) =>
      ok(await write(actor, (tx) => routeNumbers(tx, actor, toRoutingChange(change), phone_number_sids))),

    'POST /patchbay/phone-numbers/import': async ({ actor, body: { dry_run, rows, ...requested } }) => {
      const provider = resolveProvider(actor, requested)
      const plans = dry_run
        ? await toRowPlans(database.db, actor, provider, rows)
        : await write(actor, (tx) => importNumbers(tx, configuration, actor, provider, rows))
      return ok({ rows: plans })
    },
  }
}
