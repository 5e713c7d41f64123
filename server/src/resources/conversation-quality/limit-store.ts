import { throwApiError } from '@patchbay/contract/api/errors'
import type { ConversationLimitChange, ConversationLimits } from '@patchbay/contract/conversation-limits'
import { type LimitMeasure, limitMeasures } from '@patchbay/contract/conversations/figures'
import type { Selectable } from 'kysely'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Limits of the conversations of accounts and providers. Without a row, there are none. */

type LimitRow = Selectable<Tables['patchbay_conversation_limits']>

/** When a limit was last exceeded or kept again, in milliseconds since the Unix epoch. */
export type LimitStates = Partial<Record<LimitMeasure, { isExceeded: boolean; changedAt: number }>>

export const parseLimitStates = (text: string): LimitStates => JSON.parse(text) as LimitStates

type Members = Omit<ConversationLimits, 'exceeded'>

const noLimits: Members = {
  gap_p95_ms: null,
  interrupted_percent: null,
  talked_over_percent: null,
  failed_percent: null,
  minutes: 15,
  min_conversations: 10,
}

const readRow = (db: Database['db'], owner_sid: string): Promise<LimitRow | undefined> =>
  db.selectFrom('patchbay_conversation_limits').selectAll().where('owner_sid', '=', owner_sid).executeTakeFirst()

const toMembers = (row: LimitRow | undefined): Members => {
  if (row === undefined) return noLimits
  const { owner_sid: _owner, states: _states, ...members } = row
  return members
}

/** Returns the limits of an account or provider. */
export const readConversationLimits = async ({ db }: Database, owner_sid: string): Promise<ConversationLimits> => {
  const row = await readRow(db, owner_sid)
  const states = row === undefined ? {} : parseLimitStates(row.states)
  const exceeded = limitMeasures.flatMap((measure) => {
    const state = states[measure]
    return state?.isExceeded === true ? [{ measure, since: new Date(state.changedAt).toISOString() }] : []
  })
  return { ...toMembers(row), exceeded }
}

/** Locks the account or provider, so that changes of its limits run one after another. */
const lockOwner = async ({ trx, engine }: WriteTransaction, owner: CallOwner) => {
  const rows =
    'service_provider_sid' in owner
      ? trx
          .selectFrom('service_providers')
          .select(['service_provider_sid as sid', 'name'])
          .where('service_provider_sid', '=', owner.service_provider_sid)
      : trx.selectFrom('accounts').select(['account_sid as sid', 'name']).where('account_sid', '=', owner.account_sid)
  return (await lockForUpdate(engine, rows).executeTakeFirst()) ?? throwApiError('not_found')
}

/** Changes limits. Absent members remain unchanged. A limit that is changed is compared anew. */
export const saveConversationLimits = async (
  write: WriteTransaction,
  owner: CallOwner,
  change: ConversationLimitChange,
): Promise<void> => {
  const { trx } = write
  const { sid, name } = await lockOwner(write, owner)
  const row = await readRow(trx, sid)
  const before = toMembers(row)
  const after = { ...before, ...change }
  const previous = row === undefined ? {} : parseLimitStates(row.states)
  const unchanged = limitMeasures.flatMap((measure) =>
    before[measure] === after[measure] ? [[measure, previous[measure]]] : [],
  )
  const values = { ...after, states: JSON.stringify(Object.fromEntries(unchanged)) }
  if (row === undefined)
    await trx
      .insertInto('patchbay_conversation_limits')
      .values({ owner_sid: sid, ...values })
      .execute()
  else await trx.updateTable('patchbay_conversation_limits').set(values).where('owner_sid', '=', sid).execute()
  write.record({
    action: row === undefined ? 'create' : 'update',
    kind: 'conversation_limits',
    sid,
    name,
    owner: { account_sid: null, service_provider_sid: null, ...owner },
    before: row === undefined ? null : before,
    after,
  })
}
