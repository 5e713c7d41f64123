import { providerContents, type ProviderContents } from '@patchbay/contract/service-providers'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

const kinds = providerContents.keyof().options

const getTable = (kind: (typeof kinds)[number]) => (kind === 'lcrs' ? 'lcr' : kind)

/**
 * Creates a reader that counts the resources of a provider itself, in one query. Resources of its accounts are not
 * counted, but the accounts are.
 */
export const createContentsReader = ({
  db,
}: Database): ((service_provider_sid: string) => Promise<ProviderContents | undefined>) => {
  const selectCounts = prepared(db, (service_provider_sid: string) =>
    db.selectNoFrom((select) =>
      kinds.map((kind) =>
        select
          .selectFrom(getTable(kind))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('service_provider_sid', '=', service_provider_sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  return async (service_provider_sid) => (await selectCounts(service_provider_sid))[0]
}
