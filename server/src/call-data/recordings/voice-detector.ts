import { Worker } from 'node:worker_threads'
import type { StoredBytes } from '@patchbay/contract/endpoint'
import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { createSerialThread } from '../../lib/serial-thread.ts'
import { UnreadableAudio } from './decode-audio.ts'
import type { DetectedVoice, VoiceReply, VoiceRequest } from './detect-voice.ts'

/** Detects voices on a worker thread, which analyzes one recording at a time and ends when it is idle. */

export interface VoiceDetector {
  /**
   * Returns when each side of a recorded call speaks.
   * @throws UnreadableAudio if the file is not audio with a channel for each side
   */
  detect(file: StoredBytes, format: RecordFormat): Promise<DetectedVoice>
  close(): Promise<void>
}

/** A recording of two hours takes 5 to 10 seconds, without the time to read it. */
const timeoutMs = 180_000
const maxHeapMb = 256

/** Creates a detector. Its thread starts with the first recording. */
export const createVoiceDetector = (): VoiceDetector => {
  const thread = createSerialThread<VoiceRequest, VoiceReply>({
    work: 'the analysis of a recording',
    start: () =>
      new Worker(new URL('./voice-worker.mjs', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
      }),
    timeoutMs,
    isRecoverable: (error) => error instanceof UnreadableAudio,
  })
  return {
    detect: (file, format) =>
      thread.run(async (send, signal) => {
        const request = async (message: VoiceRequest): Promise<DetectedVoice | undefined> => {
          const reply = await send(message)
          if (!('problem' in reply)) return reply.detected
          throw reply.problem === 'unreadable' ? new UnreadableAudio(reply.message) : new Error(reply.message)
        }
        // The file is sent piece by piece.
        let begin: VoiceRequest = { format }
        if (file.size > 0)
          for await (const bytes of await file.read(0, file.size - 1, signal)) {
            await request({ ...begin, bytes })
            begin = {}
          }
        const detected = await request(begin)
        if (detected === undefined) throw new Error('the thread that analyzes recordings gave no result')
        return detected
      }),
    close: () => thread.close(),
  }
}
