import { accountContents, type AccountContents } from '@patchbay/contract/accounts'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

const kinds = accountContents.keyof().options

const tableOf = (kind: (typeof kinds)[number]) => (kind === 'lcrs' ? 'lcr' : kind)

/** Counts what delete-account.ts deletes: one query, each kind by the index on its account. */
export const createContentsReader = ({
  db,
}: Database): ((account_sid: string) => Promise<AccountContents | undefined>) => {
  const counted = prepared(db, (account_sid: string) =>
    db.selectNoFrom((select) =>
      kinds.map((kind) =>
        select
          .selectFrom(tableOf(kind))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('account_sid', '=', account_sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  return async (account_sid) => (await counted(account_sid))[0]
}
