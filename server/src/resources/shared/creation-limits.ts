import type { Actor } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Configuration } from '../../config/configuration.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Maximum number of resources that users and API keys of an account may create, if the operator enables these limits
 * (docs/reference/platform-api/conventions.md#creation-limits).
 */
const max = { applications: 50, voip_carriers: 10, sip_gateways: 150, phone_numbers: 200 } as const

const countResources = async (
  { trx }: WriteTransaction,
  table: keyof typeof max,
  account_sid: string,
): Promise<number> => {
  const carriers = trx.selectFrom('voip_carriers').select('voip_carrier_sid').where('account_sid', '=', account_sid)
  const { count } = await trx
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where((where) =>
      table === 'sip_gateways' ? where('voip_carrier_sid', 'in', carriers) : where('account_sid', '=', account_sid),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Rejects a creation that would exceed the limit of the account. `adding` is the number of resources to create. */
export const checkCreateLimit = async (
  write: WriteTransaction,
  { createLimits }: Pick<Configuration, 'createLimits'>,
  { scope, account_sid }: Actor,
  table: keyof typeof max,
  adding = 1,
): Promise<void> => {
  if (adding === 0 || !createLimits || scope !== 'account' || account_sid === null) return
  const { trx, engine } = write
  await lockForUpdate(
    engine,
    trx.selectFrom('accounts').select('account_sid').where('account_sid', '=', account_sid),
  ).execute()
  const count = await countResources(write, table, account_sid)
  if (count + adding <= max[table]) return
  const message = `exceeded limits - you have created ${count} instances of this resource`
  throwApiError('limit_exceeded', { msg: message, message })
}
