import { computePeaks, type RecordingPath, sampleRate } from '@patchbay/contract/recordings/recordings'
import { queryOptions } from '@tanstack/react-query'
import { fetchBinary } from '../../../api/fetch-binary.ts'
import { buildUrl } from '../../../api/client.ts'
import { ApiError } from '../../../api/api-error.ts'

/** The recordings of calls, as they are read. */

export interface Sound {
  /** seconds */
  duration: number
  /** of each channel; at most two */
  peaks: readonly Float32Array[]
}

export interface Recorded {
  file: Blob
  /** undefined where the browser can make nothing of the file */
  sound: Sound | undefined
}

/** An hour of it is some 60 megabytes. */
const withinMs = 300_000

const pathOf = ({ format, ...path }: RecordingPath): string =>
  buildUrl('', '/Accounts/:account_sid/RecentCalls/:call_sid/record/:year/:month/:day/:format', {
    params: { ...path, format },
  })

/** Only peaks are kept of the samples, which are large. */
const soundOf = async (file: Blob): Promise<Sound | undefined> => {
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

const bytesOf = async (response: Response): Promise<Blob> => {
  try {
    return await response.blob()
  } catch {
    throw new ApiError('unreachable', 0, 'The recording broke off on its way, please try again')
  }
}

export const recordedKey = (path: RecordingPath) => ['recording', path] as const

/** A recording is read once; null is one that was deleted from here. */
export const recordedQuery = (path: RecordingPath) =>
  queryOptions({
    queryKey: recordedKey(path),
    queryFn: async ({ signal }): Promise<Recorded | null> => {
      const file = await bytesOf(await fetchBinary(pathOf(path), { withinMs, signal }))
      return { file, sound: await soundOf(file) }
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    structuralSharing: false,
  })

export const recordingFileName = (call_sid: string, { type }: Blob): string =>
  `callid-${call_sid}.${type.startsWith('audio/wav') ? 'wav' : 'mp3'}`
