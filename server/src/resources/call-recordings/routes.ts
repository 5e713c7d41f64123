import type { callRecordingEndpoints } from '@patchbay/contract/call-recordings'
import { ApiError } from '@patchbay/contract/errors'
import { recordFormats } from '@patchbay/contract/recordings/storage'
import type { Caller } from '../../lib/caller.ts'
import { noContent, ok } from '../../http/responses.ts'
import type { Handlers } from '../../http/contract-router.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { RecordingName } from '../../call-data/recordings/recording-names.ts'
import type { Recording } from '../../call-data/recordings/recording.ts'
import type { Services } from '../services.ts'

interface Named {
  call_sid: string
  year: string
  month: string
  day: string
  format: string
}

const notFound = (): never => {
  throw new ApiError('not_found')
}

/** A format may begin with a version, as `2.mp3`: a call that was recorded again keeps its first recording. */
const nameOf = ({ call_sid, year, month, day, format: given }: Named): RecordingName => {
  const date = `${year}-${month}-${day}`
  const [, version = '1', extension = ''] = /^(?:([2-9]|10)\.)?([a-z\d]+)$/i.exec(given) ?? notFound()
  const format = recordFormats.find((known) => known === extension.toLowerCase()) ?? notFound()
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) return notFound()
  return { call_sid, day: date, format, version: Number(version) }
}

export const callRecordingRoutes = ({
  calls,
  recordings,
  write,
}: Services): Handlers<keyof typeof callRecordingEndpoints> => {
  /** Whose it is, the call says; of a call that has no record, and of the recording of another, the place of the recording. */
  const find = async (owner: CallOwner, named: Named): Promise<Recording & { account_sid: string }> => {
    const name = nameOf(named)
    const [call] = await calls.find(owner, { call_sid: name.call_sid })
    const account_sid = 'account_sid' in owner ? owner.account_sid : (call?.account_sid ?? notFound())
    const found = (await recordings.find(account_sid, name)) ?? notFound()
    const isTheirs = found.account_sid === undefined ? call !== undefined : found.account_sid === account_sid
    return isTheirs ? { ...found, account_sid } : notFound()
  }
  const read = async (owner: CallOwner, named: Named) =>
    ok({ type: `audio/${nameOf(named).format}`, content: await find(owner, named) })

  const remove = async (actor: Caller, owner: CallOwner, named: Named) => {
    const { account_sid, size, remove: removeIt } = await find(owner, named)
    await removeIt()
    const { call_sid: sid, format } = named
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
    return noContent
  }

  return {
    'GET /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      params: { account_sid, ...named },
    }) => read({ account_sid }, named),

    'DELETE /Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { account_sid, ...named },
    }) => remove(actor, { account_sid }, named),

    'GET /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      params: { service_provider_sid, ...named },
    }) => read({ service_provider_sid }, named),

    'DELETE /ServiceProviders/:service_provider_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format': ({
      actor,
      params: { service_provider_sid, ...named },
    }) => remove(actor, { service_provider_sid }, named),
  }
}
