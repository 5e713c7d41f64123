import { availableParallelism } from 'node:os'
import { createHelperProcess, HelperDied } from '../../lib/helper-process.ts'
import type { PcmFormat } from './mp3-encoder.ts'

/** Encodes MP3 in helper processes. Each stream of audio stays in one process. */

/** Number of processes. At least one core remains free for requests if there are several. */
export const encodingProcesses = Math.max(1, Math.min(4, availableParallelism() - 1))

/** A piece of a stream. Without samples, the end of the stream. */
export interface EncodingRequest {
  id: number
  format: PcmFormat
  /** 0 for the first piece. */
  piece: number
  samples?: Uint8Array
  /** The encoder of the stream is not needed anymore. */
  isOver?: true
}

/** `isLost` says that the process did not receive the pieces before. */
type EncodingReply = { encoded: Uint8Array } | { isLost: true }

/** A piece takes a few milliseconds. */
const timeoutMs = 30_000
const maxHeapMb = 128

const createEncodingProcess = () =>
  createHelperProcess<EncodingRequest, EncodingReply>({
    name: 'mp3_encoding',
    module: new URL('./mp3-process.mjs', import.meta.url),
    maxHeapMb,
    timeoutMs,
  })

type EncodingProcess = ReturnType<typeof createEncodingProcess>

const processes: EncodingProcess[] = []
let streams = 0

const getProcess = (id: number): EncodingProcess => (processes[id % encodingProcesses] ??= createEncodingProcess())

/** A stream of audio that is encoded piece by piece. */
export interface Mp3Stream {
  /** Encodes complete samples of all channels. Calls must not overlap. */
  encode(samples: Uint8Array): Promise<Uint8Array>
  /** Returns the rest of the encoded audio. */
  end(): Promise<Uint8Array>
  /** Releases the encoder, including after a failure. */
  close(): void
}

/** Opens a stream, whose functions throw HelperDied if its process has died. The stream is then over. */
export const openMp3Stream = (format: PcmFormat): Mp3Stream => {
  const id = (streams += 1)
  const encoding = getProcess(id)
  let release: (() => void) | undefined
  let piece = 0
  const request = async (samples?: Uint8Array): Promise<Uint8Array> => {
    release ??= encoding.retain()
    const reply = await encoding.request({ id, format, piece, ...(samples && { samples }) })
    piece += 1
    if ('isLost' in reply) throw new HelperDied('the process of an encoder ended between two pieces')
    return reply.encoded
  }
  return {
    encode: (samples) => request(samples),
    end: () => request(),
    close() {
      if (piece > 0 && encoding.isRunning()) encoding.request({ id, format, piece, isOver: true }).catch(() => {})
      release?.()
    },
  }
}
