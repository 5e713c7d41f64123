import { computePeaks, type RecordingPath, sampleRate } from '@patchbay/rules/recordings/recordings'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../../../api/api-error.ts'
import { buildUrl } from '../../../api/client.ts'
import { fetchBinary } from '../../../api/fetch-binary.ts'

/** Queries for call recordings. */

export interface Sound {
  /** Length in seconds. */
  duration: number
  /** Peaks of each channel, for at most two channels. */
  peaks: readonly Float32Array[]
}

export interface Recorded {
  file: Blob
  /** Undefined if the browser cannot decode the file. */
  sound: Sound | undefined
}

/** Time limit of the download. A recording of one hour has about 60 MB. */
const withinMs = 300_000

const toRecordingUrl = ({ format, ...path }: RecordingPath): string =>
  buildUrl('', '/Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format', {
    params: { ...path, format },
  })

/** Decodes a recording. Keeps only the peaks, because the decoded samples are large. */
const decodeSound = async (file: Blob): Promise<Sound | undefined> => {
  try {
    const context = new OfflineAudioContext({ numberOfChannels: 2, length: 1, sampleRate })
    const decoded = await context.decodeAudioData(await file.arrayBuffer())
    const channels = Array.from({ length: Math.min(2, decoded.numberOfChannels) }, (_, channel) => channel)
    return {
      duration: decoded.duration,
      peaks: channels.map((channel) => computePeaks(decoded.getChannelData(channel))),
    }
  } catch {
    return undefined
  }
}

const readBody = async (response: Response): Promise<Blob> => {
  try {
    return await response.blob()
  } catch {
    throw new ApiError('unreachable', 0, 'The download of the recording was interrupted. Try again')
  }
}

/** Downloads a recording that is silent where its conversation is masked. */
export const readMutedFile = async (path: RecordingPath): Promise<Blob> =>
  readBody(await fetchBinary(`${toRecordingUrl(path)}?muted=true`, { withinMs }))

/** The server analyzes a recording before it is muted, which takes a few seconds. */
const analyzingMs = 2000
const isBeingAnalyzed = (error: unknown): boolean =>
  error instanceof ApiError && error.answer['code'] === 'recording_being_analyzed'

/** Options of a query that repeats the request for a recording until it is analyzed. */
export const untilAnalyzed = {
  retry: (_count: number, error: Error) => isBeingAnalyzed(error),
  retryDelay: analyzingMs,
}

/**
 * Downloads a recording.
 * @param path path below the API base, with encoded parameters
 * @throws ApiError
 */
export const fetchRecorded = async (
  path: string,
  options: { signal: AbortSignal; headers?: Readonly<Record<string, string>> },
): Promise<Recorded> => {
  const file = await readBody(await fetchBinary(path, { withinMs, ...options }))
  return { file, sound: await decodeSound(file) }
}

export const recordedKey = (path: RecordingPath) => ['recording', path] as const

/** Reads a recording once. The data is null after the user has deleted the recording on this page. */
export const recordedQuery = (path: RecordingPath) =>
  queryOptions({
    queryKey: recordedKey(path),
    queryFn: ({ signal }): Promise<Recorded | null> => fetchRecorded(toRecordingUrl(path), { signal }),
    ...untilAnalyzed,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    structuralSharing: false,
  })

export const recordingFileName = (call_sid: string, { type }: Blob, suffix = ''): string =>
  `callid-${call_sid}${suffix}.${type.startsWith('audio/wav') ? 'wav' : 'mp3'}`
