import { throwApiError } from '@patchbay/contract/api/errors'
import { tryConsume } from '../../auth/counters/counters.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { findValidShares } from './share-rights.ts'
import { type CallShareRow, createCallShareLookup } from './store.ts'

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/

/** Downloads of a link in a minute, from all addresses. The page of the link needs one. */
const downloadLimit = { max: 60, windowMs: 60_000 }

/**
 * Invalid tokens of a network. Tokens cannot be guessed, and looking one up is cheap, so valid ones are not counted:
 * otherwise anybody could lock out the viewers behind the same address.
 */
const failureLimit = { max: 300, seconds: 600 }

/** Many viewers of an account's links must not delay its users, so they share a turn of their own. */
export const toViewers = (account_sid: string): string => `shared:${account_sid}`

interface LinkRequest {
  token: string
  address: string
}

/** Creates the checks of requests by people who have a link to a call, to its conversation or to its report. */
export const createLinkAccess = (services: Services) => {
  const { configuration, counters, database, rates } = services
  const findShare = createCallShareLookup(database)

  const requireShare = async (what: 'conversation' | 'report', { token, address }: LinkRequest) => {
    if (!tokenPattern.test(token)) return throwApiError('not_found')
    const share = await findShare(token)
    if (share !== undefined && (await findValidShares(services, share.account_sid, [share])).has(share))
      return (share.report_sip_callid === null) === (what === 'conversation') ? share : throwApiError('not_found')
    const counter = `call_shares:${toClientNetwork(address)}`
    return throwApiError((await tryConsume(counters, { counter, ...failureLimit })) ? 'not_found' : 'too_many_requests')
  }

  const countDownload = async ({ call_share_sid }: CallShareRow): Promise<void> => {
    if (configuration.rateLimit === null) return
    const { count } = await rates.hit(`shared_recording:${call_share_sid}`, downloadLimit.windowMs)
    if (count > downloadLimit.max) throwApiError('too_many_requests')
  }

  return { requireShare, countDownload }
}
