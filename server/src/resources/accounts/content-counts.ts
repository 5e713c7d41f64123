import { accountContents, type AccountContents } from '@patchbay/contract/accounts'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

const kinds = accountContents.keyof().options

const getTable = (kind: (typeof kinds)[number]) => (kind === 'lcrs' ? 'lcr' : kind)

/**
 * Creates a reader that counts what delete-account.ts deletes, in one query. Each count uses the index on the account.
 */
export const createContentsReader = ({
  db,
}: Database): ((account_sid: string) => Promise<AccountContents | undefined>) => {
  const selectCounts = prepared(db, (account_sid: string) =>
    db.selectNoFrom((select) =>
      kinds.map((kind) =>
        select
          .selectFrom(getTable(kind))
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('account_sid', '=', account_sid)
          .$asScalar()
          .$notNull()
          .as(kind),
      ),
    ),
  )
  return async (account_sid) => (await selectCounts(account_sid))[0]
}
