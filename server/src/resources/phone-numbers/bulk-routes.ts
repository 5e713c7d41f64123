import { toListPage } from '@patchbay/contract/api/list-pages'
import type { manyPhoneNumberEndpoints } from '@patchbay/contract/bulk-phone-numbers'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { importNumbers, resolveProvider, toRowPlans } from './number-import.ts'
import { routeNumbers } from './number-routing.ts'
import { createNameResolver } from './resolve-names.ts'
import { createPhoneNumberStore } from './store.ts'

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

    'POST /patchbay/phone-numbers/routing': async ({ actor, body: { application_sid, phone_number_sids } }) => ({
      status: 200,
      body: {
        failed: await write(actor, (tx) => routeNumbers(tx, actor, application_sid || null, phone_number_sids)),
      },
    }),

    'POST /patchbay/phone-numbers/import': async ({ actor, body: { dry_run, rows, ...requested } }) => {
      const provider = resolveProvider(actor, requested)
      const plans = dry_run
        ? await toRowPlans(database.db, actor, provider, rows)
        : await write(actor, (tx) => importNumbers(tx, configuration, actor, provider, rows))
      return ok({ rows: plans })
    },
  }
}
