import { throwApiError } from '@patchbay/contract/api/errors'
import type { callShareEndpoints, SharedCall } from '@patchbay/contract/call-shares'
import { tryConsume } from '../../auth/counters/counters.ts'
import { readConversation } from '../../call-data/conversations/read-conversation.ts'
import { readRecording } from '../../call-data/conversations/read-muted-recording.ts'
import { findOwnRecording, parseRecordedName } from '../../call-data/recordings/recording-of-call.ts'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { maskCredentialsInBody, ok } from '../../http/responses.ts'
import { toClientNetwork } from '../../lib/client-network.ts'
import type { Services } from '../services.ts'
import { getLastDigits, toPublicConversation } from './public-conversation.ts'
import { findValidShares } from './share-rights.ts'
import { type CallShareRow, countView, createCallShareLookup } from './store.ts'

/**
 * Endpoints of people who have a link to a call. Unknown, expired, and revoked links, those whose creator cannot share
 * the call any more, and calls that are deleted give the same response.
 */

type SharedCallPath = 'GET /patchbay/shared-call' | 'GET /patchbay/shared-call/recording'

/** 32 bytes in base64url. */
const tokenPattern = /^[\w-]{43}$/

/** Downloads of the recording of a link in a minute, from all addresses. The page of the link needs one. */
const downloadLimit = { max: 60, windowMs: 60_000 }

/**
 * Invalid tokens of a network. Tokens cannot be guessed, and looking one up is cheap, so valid ones are not counted:
 * otherwise anybody could lock out the viewers behind the same address.
 */
const failureLimit = { max: 300, seconds: 600 }

/** Many viewers of an account's links must not delay its users, so they share a turn of their own. */
const toTenant = (account_sid: string): string => `shared:${account_sid}`

export const sharedCallRoutes = (services: Services): Handlers<SharedCallPath & keyof typeof callShareEndpoints> => {
  const { callDetails, calls, configuration, counters, database, rates, recordings } = services
  const findShare = createCallShareLookup(database)

  const requireShare = async ({ token, address }: Pick<Context<SharedCallPath>, 'token' | 'address'>) => {
    if (!tokenPattern.test(token)) return throwApiError('not_found')
    const share = await findShare(token)
    if (share !== undefined && (await findValidShares(services, share.account_sid, [share])).has(share)) return share
    const counter = `call_shares:${toClientNetwork(address)}`
    return throwApiError((await tryConsume(counters, { counter, ...failureLimit })) ? 'not_found' : 'too_many_requests')
  }

  const countDownload = async ({ call_share_sid }: CallShareRow): Promise<void> => {
    if (configuration.rateLimit === null) return
    const { count } = await rates.hit(`shared_recording:${call_share_sid}`, downloadLimit.windowMs)
    if (count > downloadLimit.max) throwApiError('too_many_requests')
  }

  const readAccountName = async (account_sid: string): Promise<string> => {
    const account = await database.db
      .selectFrom('accounts')
      .select('name')
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
    return account?.name ?? throwApiError('not_found')
  }

  const readSharedCall = async ({
    account_sid,
    call_sid,
    includes_recording,
    expires_at,
  }: CallShareRow): Promise<SharedCall> => {
    const [account_name, found] = await Promise.all([
      readAccountName(account_sid),
      readConversation(services, account_sid, call_sid),
    ])
    const { call, conversation } = found ?? throwApiError('not_found')
    return {
      account_name,
      expires_at: new Date(expires_at).toISOString(),
      attempted_at: call.attempted_at,
      duration: call.duration,
      direction: call.direction,
      from: getLastDigits(call.from),
      to: getLastDigits(call.to),
      includes_recording,
      conversation: conversation === undefined ? null : toPublicConversation(conversation, includes_recording === 1),
    }
  }

  const findRecording = async ({ account_sid, call_sid, includes_recording }: CallShareRow, signal: AbortSignal) => {
    if (includes_recording === 0) return undefined
    const legs = await calls.find({ account_sid }, { call_sid })
    const [name] = legs.flatMap(
      ({ recording_url }) => (recording_url && parseRecordedName({ account_sid, call_sid, recording_url })) || [],
    )
    const file = name && (await findOwnRecording(recordings, account_sid, name))
    if (name === undefined || file === undefined) return undefined
    const tenant = toTenant(account_sid)
    const content = await readRecording(services, { account_sid, name, file, isMuted: false, tenant }, signal)
    return { type: `audio/${name.format}`, content }
  }

  return {
    'GET /patchbay/shared-call': async (context) => {
      const share = await requireShare(context)
      const read = () => readSharedCall(share)
      const call = await callDetails.run(toTenant(share.account_sid), (runStep) => runStep(read), context.signal)
      await countView(database, share)
      // The cast is safe, because masking changes texts only.
      return ok(maskCredentialsInBody(call) as SharedCall)
    },

    'GET /patchbay/shared-call/recording': async (context) => {
      const share = await requireShare(context)
      await countDownload(share)
      return ok((await findRecording(share, context.signal)) ?? throwApiError('not_found'))
    },
  }
}
