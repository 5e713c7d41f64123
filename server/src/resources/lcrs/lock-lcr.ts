import { throwApiError } from '@patchbay/contract/api/errors'
import { lcr } from '@patchbay/contract/lcrs'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** The columns of an outbound routing (docs/reference/platform-api/outbound-routing.md#routings). */
export const columns = lcr.omit({ number_routes: true }).keyof().options

/** Locks a routing table, so that changes of the table and its routes run one after another. Throws `not_found`. */
export const lockLcr = async ({ trx, engine }: WriteTransaction, lcr_sid: string) =>
  (await lockForUpdate(
    engine,
    trx.selectFrom('lcr').select(columns).where('lcr_sid', '=', lcr_sid),
  ).executeTakeFirst()) ?? throwApiError('not_found')

export type LockedLcr = Awaited<ReturnType<typeof lockLcr>>
