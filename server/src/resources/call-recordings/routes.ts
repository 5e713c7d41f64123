import { ApiError } from '@patchbay/contract/api/errors'
import type { callRecordingEndpoints } from '@patchbay/contract/call-recordings'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { readRecording } from '../../call-data/conversations/read-muted-recording.ts'
import type { Recording } from '../../call-data/recordings/recording.ts'
import {
  parseRecordingName,
  type RecordingName,
  type RecordingPath,
} from '../../call-data/recordings/recording-names.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'

const notFound = (): never => {
  throw new ApiError('not_found')
}

const parseName = (recordingParams: RecordingPath): RecordingName => parseRecordingName(recordingParams) ?? notFound()

interface ReadContext {
  query: { muted?: 'true' | 'false' | undefined }
  actor: Caller
  signal: AbortSignal
}

export const callRecordingRoutes = (services: Services): Handlers<keyof typeof callRecordingEndpoints> => {
  const { calls, recordings, voiceActivities, write } = services
  /**
   * Finds a recording of the owner. The call record determines the account. Without a call record, the recording must
   * name the account itself.
   */
  const find = async (
    owner: CallOwner,
    recordingParams: RecordingPath,
  ): Promise<Recording & { account_sid: string }> => {
    const name = parseName(recordingParams)
    const [call] = await calls.find(owner, { call_sid: name.call_sid })
    const account_sid = 'account_sid' in owner ? owner.account_sid : (call?.account_sid ?? notFound())
    const recording = (await recordings.find(account_sid, name)) ?? notFound()
    const isOwn = recording.account_sid === undefined ? call !== undefined : recording.account_sid === account_sid
    return isOwn ? { ...recording, account_sid } : notFound()
  }
  const read = async (owner: CallOwner, recordingParams: RecordingPath, { query, actor, signal }: ReadContext) => {
    const name = parseName(recordingParams)
    const recording = await find(owner, recordingParams)
    const { account_sid } = recording
    const isMuted = query.muted === 'true'
    const tenant = fairnessKey(actor)
    const content = await readRecording(services, { account_sid, name, file: recording, isMuted, tenant }, signal)
    return ok({ type: `audio/${name.format}`, content })
  }

  const remove = async (actor: Caller, owner: CallOwner, recordingParams: RecordingPath) => {
    const { account_sid, size, remove: removeRecording } = await find(owner, recordingParams)
    await removeRecording()
    const { call_sid: sid, format } = recordingParams
    await voiceActivities.remove(account_sid, sid)
    await write(actor, (tx) =>
      Promise.resolve(
        tx.record({
          action: 'delete',
          kind: 'recording',
          sid,
          owner: { account_sid, service_provider_sid: null },
          before: { format, size },
          after: null,
        }),
      ),
    )
  }

  return {
    'GET /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      params: { account_sid, ...recordingParams },
      ...context
    }) => read({ account_sid }, recordingParams, context),

    'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { account_sid, ...recordingParams },
    }) => remove(actor, { account_sid }, recordingParams),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      params: { service_provider_sid, ...recordingParams },
      ...context
    }) => read({ service_provider_sid }, recordingParams, context),

    'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { service_provider_sid, ...recordingParams },
    }) => remove(actor, { service_provider_sid }, recordingParams),
  }
}
