import type { StoredBytes } from '@patchbay/contract/api/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { createFairQueue, type RunStep } from '../../lib/fair-queue.ts'
import { createHelperProcess, HelperDied, repeatIfHelperDied } from '../../lib/helper-process.ts'
import { UnreadableAudio } from './decode-audio.ts'
import type { DetectedVoice, VoiceReply, VoiceRequest } from './detect-voice.ts'

/**
 * Detects voices in a helper process. Tenants take turns in it for each piece of a file, and none waits for the storage
 * of another: files are read outside of the turns.
 */

export interface VoiceDetector {
  /**
   * Returns when each side of a recorded call speaks.
   * @param tenant shares the process fairly with other tenants
   * @throws UnreadableAudio if the file is not audio with a channel for each side
   */
  detect(tenant: string, file: StoredBytes, format: RecordFormat): Promise<DetectedVoice>
  close(): Promise<void>
}

/** A recording of two hours takes 5 to 10 seconds, without the time to read it. */
const timeoutMs = 180_000
/** A piece takes a few milliseconds. */
const pieceTimeoutMs = 15_000
const maxPieceBytes = 64 * 1024
const maxHeapMb = 256

/** Divides the pieces in which a storage delivers a file, which can be large. */
async function* toSmallPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const bytes of pieces)
    for (let from = 0; from < bytes.length; from += maxPieceBytes) yield bytes.subarray(from, from + maxPieceBytes)
}

/** Creates a detector. Its process starts with the first recording. */
export const createVoiceDetector = (): VoiceDetector => {
  const helper = createHelperProcess<VoiceRequest, VoiceReply>({
    name: 'voice_detection',
    module: new URL('./voice-process.mjs', import.meta.url),
    maxHeapMb,
    timeoutMs: pieceTimeoutMs,
  })
  const queue = createFairQueue({ name: 'voice_detection', concurrency: 1, max: 1 })
  let analyses = 0

  const analyze = async (runStep: RunStep, file: StoredBytes, format: RecordFormat): Promise<DetectedVoice> => {
    const id = (analyses += 1)
    const signal = AbortSignal.timeout(timeoutMs)
    const release = helper.retain()
    let piece = 0
    const request = async (bytes?: Uint8Array): Promise<DetectedVoice | undefined> => {
      const reply = await runStep(() => helper.request({ id, format, piece, ...(bytes && { bytes }) }))
      piece += 1
      signal.throwIfAborted()
      if ('isLost' in reply) throw new HelperDied('the process of an analysis ended between two pieces')
      if ('unreadable' in reply) throw new UnreadableAudio(reply.unreadable)
      return reply.detected
    }
    try {
      if (file.size > 0)
        for await (const bytes of toSmallPieces(await file.read(0, file.size - 1, signal))) await request(bytes)
      const detected = await request()
      if (detected === undefined) throw new Error('the process that analyzes recordings gave no result')
      return detected
    } catch (error) {
      if (helper.isRunning()) helper.request({ id, format, piece, isCanceled: true }).catch(() => {})
      throw error
    } finally {
      release()
    }
  }
  return {
    detect: (tenant, file, format) =>
      queue.run(tenant, (runStep) => repeatIfHelperDied(() => analyze(runStep, file, format)), undefined, true),
    close: () => helper.close(),
  }
}
