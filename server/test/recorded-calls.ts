import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createEncoder } from '@patchbay/server/call-data/recordings/encoders'
import { createUnfinishedPath } from '@patchbay/server/call-data/recordings/file-recordings'
import type { TestApi } from '@patchbay/testkit/test-api'
import { storeCall } from './fixtures.ts'

/** Recorded calls for tests. Their start is that of other call records (`fixtures.ts`). */

const day = '2026-05-01'
export type Format = 'mp3' | 'wav'

export interface StoredCall {
  account_sid: string
  call_sid: string
}

/** Returns the API path of the recording of a call. */
export const getRecordingPath = ({ account_sid, call_sid }: StoredCall, format: string): string =>
  `/Accounts/${account_sid}/RecentCalls/${call_sid}/record/${day.replaceAll('-', '/')}/${format}`

/** Stores a file as the recording of a call, and the record of the call. */
export const storeRecording = async (
  api: TestApi,
  content: Uint8Array,
  format: Format,
  more: StoredCall & { service_provider_sid: string; trace_id?: string; recording_url?: string },
): Promise<StoredCall> => {
  const { account_sid, call_sid } = more
  const file = await createUnfinishedPath(api.services.configuration.dataDir)
  await writeFile(file, content)
  const name = { call_sid, day, format } as const
  await api.services.recordings.store({ account_sid, name, file, metadata: {}, recording_id: randomUUID() })
  await storeCall(api, { recording_url: getRecordingPath(more, format), ...more }, call_sid)
  return { account_sid, call_sid }
}

/** Encodes samples of two channels at 8 kHz as the server does. */
export const encodeRecording = async (pcm: Buffer, format: Format): Promise<Buffer> => {
  const encoder = createEncoder(format, 8000)
  const content = Buffer.concat([await encoder.encode(pcm), await encoder.end()])
  encoder.close()
  return Buffer.concat([encoder.head(content.length), content])
}
