import type { callRecordingEndpoints } from '@patchbay/contract/call-recordings'
import { ApiError } from '@patchbay/contract/errors'
import { recordFormats } from '@patchbay/contract/recordings/storage'
import type { Caller } from '../../lib/caller.ts'
import { ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { RecordingName } from '../../call-data/recordings/recording-names.ts'
import type { Recording } from '../../call-data/recordings/recording.ts'
import type { Services } from '../services.ts'

interface RecordingParams {
  call_sid: string
  year: string
  month: string
  day: string
  format: string
}

const notFound = (): never => {
  throw new ApiError('not_found')
}

/**
 * Parses the path parameters. The format may start with a version, as in `2.mp3`, for a call that was recorded
 * repeatedly.
 */
const parseName = ({ call_sid, year, month, day, format: versionedFormat }: RecordingParams): RecordingName => {
  const date = `${year}-${month}-${day}`
  const [, version = '1', extension = ''] = /^(?:([2-9]|10)\.)?([a-z\d]+)$/i.exec(versionedFormat) ?? notFound()
  const format = recordFormats.find((candidate) => candidate === extension.toLowerCase()) ?? notFound()
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) return notFound()
  return { call_sid, day: date, format, version: Number(version) }
}

export const callRecordingRoutes = ({
  calls,
  recordings,
  write,
}: Services): Handlers<keyof typeof callRecordingEndpoints> => {
  /**
   * Finds a recording of the owner. The call record determines the account. Without a call record, the recording must
   * name the account itself.
   */
  const find = async (
    owner: CallOwner,
    recordingParams: RecordingParams,
  ): Promise<Recording & { account_sid: string }> => {
    const name = parseName(recordingParams)
    const [call] = await calls.find(owner, { call_sid: name.call_sid })
    const account_sid = 'account_sid' in owner ? owner.account_sid : (call?.account_sid ?? notFound())
    const recording = (await recordings.find(account_sid, name)) ?? notFound()
    const isOwn = recording.account_sid === undefined ? call !== undefined : recording.account_sid === account_sid
    return isOwn ? { ...recording, account_sid } : notFound()
  }
  const read = async (owner: CallOwner, recordingParams: RecordingParams) =>
    ok({ type: `audio/${parseName(recordingParams).format}`, content: await find(owner, recordingParams) })

  const remove = async (actor: Caller, owner: CallOwner, recordingParams: RecordingParams) => {
    const { account_sid, size, remove: removeRecording } = await find(owner, recordingParams)
    await removeRecording()
    const { call_sid: sid, format } = recordingParams
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
    }) => read({ account_sid }, recordingParams),

    'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { account_sid, ...recordingParams },
    }) => remove(actor, { account_sid }, recordingParams),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      params: { service_provider_sid, ...recordingParams },
    }) => read({ service_provider_sid }, recordingParams),

    'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { service_provider_sid, ...recordingParams },
    }) => remove(actor, { service_provider_sid }, recordingParams),
  }
}
