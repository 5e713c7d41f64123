import type { RecordFormat } from '@patchbay/contract/recordings/storage'
import { findVoiceActivity, type VoiceActivity } from '@patchbay/rules/conversations/find-voice'
import { LevelMeter } from '@patchbay/rules/conversations/voice-levels'
import { createAudioDecoder, UnreadableAudio } from './decode-audio.ts'

/** Detects the voices in a recording. Runs in the helper process of voice-detector.ts. */

/** A request to the process: a piece of a file, or its end. */
export interface VoiceRequest {
  /** The analysis. The process has several at a time. */
  id: number
  format: RecordFormat
  /** 0 for the first piece. */
  piece: number
  bytes?: Uint8Array
  /** The analysis was canceled. */
  isCanceled?: true
}

export interface DetectedVoice {
  activity: VoiceActivity
  /** Silence that the encoder added before the first sample. */
  encoderDelayMs: number
  /** Size of the file. Undefined for results of earlier versions of Patchbay. */
  fileBytes?: number
}

/**
 * The response to a request. `unreadable` says why the file is not audio with a channel for each side. `isLost` says that
 * this process did not receive the pieces before.
 */
export type VoiceReply = { detected?: DetectedVoice } | { unreadable: string } | { isLost: true }

/** Longer recordings are not analyzed. */
const maxHours = 12

const channelCount = 2

export interface VoiceDetection {
  add(bytes: Uint8Array): void
  /** @throws UnreadableAudio if the file contained no audio with two channels */
  finish(): DetectedVoice
  close(): void
}

/** Begins the analysis of a file. Channel 0 is the caller, channel 1 the agent. */
export const startDetection = async (format: RecordFormat): Promise<VoiceDetection> => {
  const decoder = await createAudioDecoder(format)
  let meters: readonly [LevelMeter, LevelMeter] | undefined
  let [seconds, sampleRate] = [0, 0]
  return {
    add(bytes) {
      const piece = decoder.decode(bytes)
      if (piece === undefined) return
      const [caller, agent] = piece.channels
      if (caller === undefined || agent === undefined || piece.channels.length !== channelCount)
        throw new UnreadableAudio(`the recording has ${piece.channels.length} channels, not one for each side`)
      sampleRate = piece.sampleRate
      seconds += caller.length / sampleRate
      if (seconds > maxHours * 3600) throw new UnreadableAudio(`the recording is longer than ${maxHours} hours`)
      meters ??= [new LevelMeter(piece.sampleRate), new LevelMeter(piece.sampleRate)]
      meters[0].add(caller)
      meters[1].add(agent)
    },
    finish() {
      if (meters === undefined) throw new UnreadableAudio('the file contains no audio')
      return {
        activity: findVoiceActivity(meters[0].getLevels(), meters[1].getLevels()),
        encoderDelayMs: Math.round((decoder.delaySamples * 1000) / sampleRate),
      }
    },
    close: () => decoder.close(),
  }
}
