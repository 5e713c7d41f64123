import { throwApiError } from '@patchbay/contract/api/errors'
import type { callShareEndpoints, SharedCall } from '@patchbay/contract/call-shares'
import { readConversation } from '../../call-data/conversations/read-conversation.ts'
import { readRecording } from '../../call-data/conversations/read-muted-recording.ts'
import { findOwnRecording, parseRecordedName } from '../../call-data/recordings/recording-of-call.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { maskCredentialsInBody, ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { createLinkAccess, toViewers } from './link-access.ts'
import { getLastDigits, toPublicConversation } from './public-conversation.ts'
import { type CallShareRow, countView } from './store.ts'

/**
 * Endpoints of people who have a link to a call. Unknown, expired, and revoked links, those whose creator cannot share
 * the call any more, and calls that are deleted give the same response.
 */

type SharedCallPath = 'GET /patchbay/shared-call' | 'GET /patchbay/shared-call/recording'

export const sharedCallRoutes = (services: Services): Handlers<SharedCallPath & keyof typeof callShareEndpoints> => {
  const { callDetails, calls, database, recordings } = services
  const { requireShare, countDownload } = createLinkAccess(services)

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
    const tenant = toViewers(account_sid)
    const content = await readRecording(services, { account_sid, name, file, isMuted: false, tenant }, signal)
    return { type: `audio/${name.format}`, content }
  }

  return {
    'GET /patchbay/shared-call': async (context) => {
      const share = await requireShare('conversation', context)
      const read = () => readSharedCall(share)
      const call = await callDetails.run(toViewers(share.account_sid), (runStep) => runStep(read), context.signal)
      await countView(database, share)
      // The cast is safe, because masking changes texts only.
      return ok(maskCredentialsInBody(call) as SharedCall)
    },

    'GET /patchbay/shared-call/recording': async (context) => {
      const share = await requireShare('conversation', context)
      await countDownload(share)
      return ok((await findRecording(share, context.signal)) ?? throwApiError('not_found'))
    },
  }
}
