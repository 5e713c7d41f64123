import { providerContents, type ProviderContents } from '@patchbay/contract/service-providers'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

const kinds = providerContents.keyof().options

const tableOf = (kind: (typeof kinds)[number]) => (kind === 'lcrs' ? 'lcr' : kind)

/** Counts what names a provider as its own, in one query. What belongs to an account does not count: the account does. */
export const createContentsReader = ({
  db,
}: Database): ((service_provider_sid: string) => Promise<ProviderContents | undefined>) => {
  const counted = prepared(db, (service_provider_sid: string) =>
    db.selectNoFrom((select) =>
      kinds.map((kind) =>
        select
          .selectFrom(tableOf(kind))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('service_provider_sid', '=', service_provider_sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  return async (service_provider_sid) => (await counted(service_provider_sid))[0]
}
