import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { toListPage } from '@patchbay/contract/api/list-pages'
import type { CallShare, callShareEndpoints } from '@patchbay/contract/call-shares'
import type { Call } from '@patchbay/contract/recent-calls'
import { callShareLimits } from '@patchbay/contract/shared/call-share-limits'
import { collectLegs } from '@patchbay/rules/calls/call-legs'
import { findLegs } from '../../call-data/calls/legs.ts'
import { parseRecordedName } from '../../call-data/recordings/recording-of-call.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { created, ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { findValidShares } from './share-rights.ts'
import {
  type CallShareRow,
  countCallShares,
  createCallShare,
  listCallShares,
  revokeCallShare,
  toReportChoices,
} from './store.ts'

/** Endpoints with which users create, list, and revoke links to calls. */

type SharedCallPath = 'GET /patchbay/shared-call' | 'GET /patchbay/shared-call/recording'

const toInstant = (epochMs: number): string => new Date(epochMs).toISOString()

/** Returns the user or API key that a link belongs to. Tokens of the platform without a user cannot share calls. */
const toCreator = ({ token, sid, name }: Caller) => {
  if (sid === null || token === 'platform') return throwApiError('forbidden')
  const isUser = token === 'user'
  return { user_sid: isUser ? sid : null, api_key_sid: isUser ? null : sid, created_by: name }
}

export const callShareRoutes = (
  services: Services,
): Handlers<Exclude<keyof typeof callShareEndpoints, SharedCallPath>> => {
  const { calls, database, write } = services

  /** Returns whether a Call-ID is that of a record, or of another leg of the same call. */
  const hasLeg = async (account_sid: string, records: readonly Call[], sip_callid: string): Promise<boolean> => {
    if (records.some((record) => record.sip_callid === sip_callid)) return true
    const related = await findLegs(calls, { account_sid }, sip_callid)
    return records.some((record) => collectLegs(record, related).some((leg) => leg.sip_callid === sip_callid))
  }
  const toCallShare = (row: CallShareRow, isValid: boolean): CallShare => ({
    call_share_sid: row.call_share_sid,
    call_sid: row.call_sid,
    includes_recording: row.includes_recording,
    report: toReportChoices(row),
    note: row.note,
    created_by: row.created_by,
    created_at: toInstant(row.created_at),
    expires_at: toInstant(row.expires_at),
    views: row.views,
    last_viewed_at: row.last_viewed_at === null ? null : toInstant(row.last_viewed_at),
    is_valid: isValid,
  })
  const toCallShares = async (account_sid: string, rows: readonly CallShareRow[]): Promise<CallShare[]> => {
    const valid = await findValidShares(services, account_sid, rows)
    return rows.map((row) => toCallShare(row, valid.has(row)))
  }

  return {
    'GET /patchbay/Accounts/:account_sid/CallShares': async ({ params: { account_sid }, query }) => {
      const { page, page_size } = toListPage({ ...query, page: query.page ?? '0' })
      const limit = Math.min(page_size, callShareLimits.perAccount)
      const [total, rows] = await Promise.all([
        countCallShares(database.reader, { account_sid }),
        listCallShares(database.reader, { account_sid }, { limit, offset: page * limit }),
      ])
      return ok({ total, page, page_size: limit, data: await toCallShares(account_sid, rows) })
    },

    'GET /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': async ({ params }) => {
      const rows = await listCallShares(database.reader, params, { limit: callShareLimits.perCall, offset: 0 })
      return ok(await toCallShares(params.account_sid, rows))
    },

    'POST /patchbay/Accounts/:account_sid/Calls/:call_sid/Shares': async ({ actor, params, body }) => {
      const creator = toCreator(actor)
      const { account_sid, call_sid } = params
      const legs = await calls.find({ account_sid }, { call_sid })
      if (legs.length === 0) return throwApiError('call_not_found')
      const { report } = body
      if (report && body.includes_recording === 1) throwInvalid('A report has no recording', 'includes_recording')
      if (report && !(await hasLeg(account_sid, legs, report.sip_callid)))
        throwInvalid('This call has no leg with this Call-ID', 'report.sip_callid')
      const hasRecording = legs.some(
        ({ recording_url }) =>
          recording_url && parseRecordedName({ account_sid, call_sid, recording_url }) !== undefined,
      )
      if (body.includes_recording === 1 && !hasRecording)
        throwInvalid('This call has no recording', 'includes_recording')
      return created(await write(actor, (tx) => createCallShare(tx, { account_sid, call_sid }, creator, body)))
    },

    'DELETE /patchbay/Accounts/:account_sid/CallShares/:call_share_sid': ({ actor, params }) =>
      write(actor, (tx) => revokeCallShare(tx, params.account_sid, params.call_share_sid)),
  }
}
